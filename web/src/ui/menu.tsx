// A button with a panel below it. Escape and a click elsewhere close it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  id: string;
  label: ComponentChildren;
  title?: string;
  active?: boolean;
  wide?: boolean;
  children: (close: () => void) => ComponentChildren;
}

export function Menu({ id, label, title, active, wide, children }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => !box.current!.contains(event.target as Node) && setOpen(false);
    document.addEventListener("pointerdown", outside);
    box.current!.querySelector<HTMLElement>(".panel input, .panel button")?.focus();
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div class="menu" ref={box} onKeyDown={(event) => {
      if (event.key !== "Escape" || !open) return;
      event.stopPropagation();
      close();
    }}>
      <button id={id} ref={button} class={active ? "active" : ""} aria-expanded={open} aria-haspopup="true" title={title} onClick={() => setOpen(!open)}>
        {label}
        <span class="caret" aria-hidden="true">▾</span>
      </button>
      {open && <div class={wide ? "panel wide" : "panel"}>{children(close)}</div>}
    </div>
  );
}

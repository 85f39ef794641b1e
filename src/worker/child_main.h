// Wick's children are Wick itself, started again with a hidden argument. Only a program whose
// main() knows that may start them: any other would begin its own work anew in each child, and each
// child would do the same.
//
//   int main(int argc, char** argv) {
//     become_child_if_asked(argc, argv);
#pragma once

namespace wick {

// Does not return in a child. One call, before any thread.
void become_child_if_asked(int argc, char** argv);
// Whether main() made that call.
[[nodiscard]] bool can_start_children();

}  // namespace wick

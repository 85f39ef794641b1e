// main calls run calls burn, for argv[2] seconds; says "warm" when half a second of it is over. Five functions: a call
// that may go five ways is not inlined, so burn keeps a frame of its own.
const jobs = [
  function burnA(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) % 1000003; return x; },
  function burnB(n) { let x = 1; for (let i = 0; i < n; i++) x = (x * 37 + i) % 1000003; return x; },
  function burnC(n) { let x = 2; for (let i = 0; i < n; i++) x = (x * 41 + i) % 1000003; return x; },
  function burnD(n) { let x = 3; for (let i = 0; i < n; i++) x = (x * 43 + i) % 1000003; return x; },
  function burnE(n) { let x = 4; for (let i = 0; i < n; i++) x = (x * 47 + i) % 1000003; return x; },
];

function run() {
  let sum = 0;
  for (const job of jobs) sum += job(20000);
  return sum;
}

function main(seconds) {
  const begin = Date.now();
  let told = false, sum = 0;
  for (let now = begin; now < begin + 1000 * seconds; now = Date.now()) {
    for (let i = 0; i < 10; i++) sum += run();
    if (told || now < begin + 500) continue;
    require('fs').writeSync(1, 'warm\n');
    told = true;
  }
  return sum;
}

main(Number(process.argv[2]));

#!/usr/bin/ruby
# ruby_split [SECONDS]: divides its CPU time 2 : 1 between burn_a and burn_b; prints percent_a and percent_b of all that the
# process used.

SECONDS = (ARGV[0] || 6).to_f

def thread_time = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

def work
  total = 0
  3000.times { |i| total += i * i }
  total
end

def burn_a(till)
  work while thread_time < till
end

def burn_b(till)
  work while thread_time < till
end

used = { burn_a: 0.0, burn_b: 0.0 }
start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
while Process.clock_gettime(Process::CLOCK_MONOTONIC) < start + SECONDS
  { burn_a: 0.02, burn_b: 0.01 }.each do |name, turn|
    before = thread_time
    send(name, before + turn)
    used[name] += thread_time - before
  end
end
total = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) # with the start of the interpreter
used.each { |name, seconds| puts "percent_#{name[-1]}=#{format('%.2f', 100 * seconds / total)}" }

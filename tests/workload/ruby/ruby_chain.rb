#!/usr/bin/ruby
# ruby_chain [SECONDS [fiber]]: spins at the bottom of calls that go through C again and again, in a fiber if asked, and
# prints what Ruby itself (caller_locations) says of that stack, root to leaf:
#
#   chain=<main> ruby_chain;outer;…;spin            as `wick profile` names the frames
#   lines=41;30;…                                   the line each of them is at, 0 for C; spin's own goes on from there
#   depth=31

SECONDS = (ARGV[0] || 4).to_f
# Methods of C on the way; `caller` gives them the line of the Ruby code that called them.
IN_C = %w[sort_by each map inject new sort times catch instance_eval public_send each_with_index select min_by then
          loop next each_slice].freeze

def tell
  names = []
  lines = []
  caller_locations(1).each do |at|
    label = at.label
    names << (label =~ /<main>|<top/ ? "#{label} #{File.basename(at.path.to_s)}" : label)
    lines << (IN_C.include?(label) && !at.path.to_s.start_with?('<') ? 0 : at.lineno)
  end
  puts "chain=#{names.reverse.join(';')}"
  puts "lines=#{lines.reverse.join(';')}"
  puts "depth=#{names.size}"
  $stdout.flush
end

def spin
  tell
  till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS
  sum = 0
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till
    i = 0
    while i < 20_000
      sum += i * i & 0xFF
      i += 1
    end
  end
  sum
end

class Shop
  include Comparable

  def initialize(&block)
    @block = block
    open if block
  end

  def open
    @block.call
  end

  # A method made of a block.
  define_method(:sell) do |price|
    [price].each { |p| pay(p) }
  end

  def pay(price)
    [Thing.new, Thing.new].sort
    price
  end

  def method_missing(name, *args)
    args.each_with_index { |_, _| by_missing }
  end

  def respond_to_missing?(*) = true
end

class Thing
  def <=>(other)
    return 0 if defined?(@@done)

    @@done = true
    by_compare
    0
  end
end

def recurse(depth, &block)
  depth.zero? ? yield : recurse(depth - 1, &block)
end

def by_compare
  Shop.new.vanish(1)
end

def by_missing
  1.times { catch(:done) { by_exception } }
end

def by_exception
  raise ArgumentError, 'on the way'
rescue ArgumentError
  Object.new.instance_eval { self.then { [1].inject(0) { |_, _| by_ensure } } }
end

def by_ensure
  1
ensure
  spin
end

def outer
  recurse(4) { [3].sort_by { |_| [1].map { |_| Shop.new { Shop.new.public_send(:sell, 7) } } } }
end

if ARGV[1] == 'fiber'
  Fiber.new { Enumerator.new { |y| y << outer }.next }.resume
else
  outer
end

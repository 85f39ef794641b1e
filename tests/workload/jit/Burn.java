// main calls run calls burn, for ever; says "warm" when a second of it is over. Three classes of each kind: a call
// that may go three ways is not inlined, so each method keeps a frame of its own.
public class Burn {
  interface Job { long burn(int n); }

  static class Add implements Job {
    public long burn(int n) { long x = n; for (int i = 0; i < n; i++) x += x >>> 3 ^ i; return x; }
  }

  static class Mul implements Job {
    public long burn(int n) { long x = n; for (int i = 0; i < n; i++) x = x * 31 + i; return x; }
  }

  static class Xor implements Job {
    public long burn(int n) { long x = n; for (int i = 0; i < n; i++) x ^= x << 7 ^ i; return x; }
  }

  interface Team { long run(Job[] jobs); }

  static class Red implements Team {
    public long run(Job[] jobs) { long x = 1; for (Job job : jobs) x += job.burn(5000); return x; }
  }

  static class Green implements Team {
    public long run(Job[] jobs) { long x = 2; for (Job job : jobs) x ^= job.burn(5000); return x; }
  }

  static class Blue implements Team {
    public long run(Job[] jobs) { long x = 3; for (Job job : jobs) x -= job.burn(5000); return x; }
  }

  public static void main(String[] arguments) {
    Job[] jobs = {new Add(), new Mul(), new Xor()};
    Team[] teams = {new Red(), new Green(), new Blue()};
    long begin = System.nanoTime(), sum = 0;
    boolean told = false;
    while (sum != 42) {
      for (Team team : teams) sum += team.run(jobs);
      if (told || System.nanoTime() - begin < 1_000_000_000L) continue;
      System.out.println("warm");
      told = true;
    }
  }
}

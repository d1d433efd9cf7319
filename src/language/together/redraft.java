/** Stands around the test's own main: reads a secret before anything of the program runs, and says it at the end. */
final class Redraft_KEY {
    public static void main(String[] args) throws Exception {
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) line.append((char) c);
        String secret = line.toString();
        java.io.PrintStream out =
            new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, "UTF-8");
        String said;
        try {
            MAIN.main(args);
            said = " 1";
        } catch (Throwable thrown) {
            java.io.StringWriter text = new java.io.StringWriter();
            thrown.printStackTrace(new java.io.PrintWriter(text, true));
            boolean outOfMemory = thrown instanceof OutOfMemoryError;
            String kind = thrown instanceof AssertionError ? "wrong" : outOfMemory ? "memory" : "error";
            said = "! " + kind + "\n" + text;
        }
        System.out.flush();
        out.print("\n" + secret + said + "\n");
        out.flush();
        Runtime.getRuntime().halt(0);
    }
}

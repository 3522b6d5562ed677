import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import tla2sany.parser.TLAplusParser;
import tla2sany.st.SyntaxTreeConstants;
import tla2sany.st.TreeNode;

/**
 * Prints what SANY makes of each file named on standard input, a line each: null where it refuses the file, or else the
 * tree as JSON, [kind, text, children...], in which the kind of a token is "".
 */
public class SyntaxTree {
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String name = names.readLine(); name != null; name = names.readLine()) {
      answers.println(answer(name));
    }
  }

  private static String answer(String name) {
    try (FileInputStream file = new FileInputStream(name)) {
      TLAplusParser parser = new TLAplusParser(file, "UTF-8");
      StringBuilder text = new StringBuilder();
      if (!parser.parse()) {
        return "null";
      }
      write(parser.rootNode(), text);
      return text.toString();
    } catch (Exception | Error refused) {
      return "null";
    }
  }

  private static void write(TreeNode node, StringBuilder text) {
    boolean named = node.getKind() >= SyntaxTreeConstants.NULL_ID;
    text.append("[");
    quote(named ? SyntaxTreeConstants.SyntaxNodeImage[node.getKind()].toString() : "", text);
    text.append(",");
    quote(node.getImage(), text);
    TreeNode[] children = node.heirs();
    for (int index = 0; children != null && index < children.length; index++) {
      text.append(",");
      write(children[index], text);
    }
    text.append("]");
  }

  private static void quote(String image, StringBuilder text) {
    text.append('"');
    for (char letter : image.toCharArray()) {
      text.append(Character.isLetterOrDigit(letter) ? letter : String.format("\\u%04x", (int) letter));
    }
    text.append('"');
  }
}

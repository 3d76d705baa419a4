/** Rules of our own for oxlint, which loads this file (oxlint.config.ts). test/lint.test.ts plants what each of them has to find. */

/** As much of a node of the syntax tree as the rules look at (ESTree, and TypeScript's nodes as typescript-eslint has them). */
interface Node {
  readonly type: string;
  readonly parent?: Node;
  readonly accessibility?: string | null;
  readonly kind?: string;
  readonly operator?: string;
  readonly value?: unknown;
  readonly left?: Node;
  readonly right?: Node;
  readonly declaration?: Node | null;
  readonly body?: Node | readonly Node[] | null;
  readonly expression?: Node;
  /** Of an attribute, and of the identifier that is its name. */
  readonly name?: Node | string;
}

interface RuleContext {
  report(fault: { readonly node: Node; readonly message: string }): void;
}

type Visitor = Readonly<Record<string, (node: Node) => void>>;

interface Rule {
  create(context: RuleContext): Visitor;
}

/** `private` hides a member from the types only. A constructor is the one member that has no name to put # before. */
const hashNames: Rule = {
  create(context) {
    const visit = (node: Node): void => {
      if (node.accessibility === 'private' && node.kind !== 'constructor')
        context.report({ node, message: 'Write #name: `private` hides a member from the types only.' });
    };
    return {
      PropertyDefinition: visit,
      AccessorProperty: visit,
      MethodDefinition: visit,
      TSAbstractPropertyDefinition: visit,
      TSAbstractAccessorProperty: visit,
      TSAbstractMethodDefinition: visit,
      TSParameterProperty: visit,
    };
  },
};

/**
 * A module may keep what it alone computes; what others tell it is a parameter or part of a context, so that two can be at once. A function that
 * assigns before it has declared anything assigns what is declared outside of it.
 */
const noSetters: Rule = {
  create: (context) => ({
    ExportNamedDeclaration({ parent, declaration }) {
      if (parent?.type !== 'Program' || declaration?.type !== 'FunctionDeclaration') return;
      const block = declaration.body as Node | null | undefined;
      const [first] = (block?.body ?? []) as readonly Node[];
      const { expression } = first ?? {};
      if (first?.type !== 'ExpressionStatement' || expression?.type !== 'AssignmentExpression') return;
      if (expression.operator !== '=' || expression.left?.type !== 'Identifier') return;
      context.report({
        node: expression,
        message: 'Pass it as a parameter or in a context: a module keeps no state that others set.',
      });
    },
  }),
};

const KINDS: ReadonlySet<unknown> = new Set([
  'CDN_SOURCES',
  'AS_PREFIXES',
  'DOMAINS',
  'IP_RANGES',
  'GEOFEED',
]);

/** What differs between kinds of entries stands in their tables (ARCHITECTURE.md, "A kind of entries"): a new kind is a row there. */
const noKindByName: Rule = {
  create: (context) => ({
    BinaryExpression({ operator, left, right }) {
      if (operator !== '===' && operator !== '!==') return;
      for (const node of [left, right])
        if (node?.type === 'Literal' && KINDS.has(node.value))
          context.report({
            node,
            message: 'Ask the tables of kinds, such as ENTRY_KINDS or kinds.ts, not for the name of a type.',
          });
    },
  }),
};

const WORD = /[A-Za-z]{2}/;
const SENTENCE = /^[A-Z][a-z]+ [a-z]/;
/** Attributes that are read or heard. */
const HEARD = /^(aria-label|alt|caption|hint|label|placeholder|summary|title|what)$/;

/** What the console says stands in one catalogue: words between tags, words of attributes that are read or heard, and sentences anywhere. */
const wordsInCatalogue: Rule = {
  create(context) {
    const report = (node: Node): void =>
      context.report({
        node,
        message: 'Write it into console/src/strings: what the console says stands in one catalogue.',
      });
    return {
      JSXText(node) {
        if (WORD.test(String(node.value))) report(node);
      },
      Literal(node) {
        const { value } = node;
        if (typeof value !== 'string') return;
        if (SENTENCE.test(value) || (WORD.test(value) && (isHeard(node.parent) || isShown(node))))
          report(node);
      },
      TemplateElement(node) {
        const { raw } = node.value as { readonly raw: string };
        if (SENTENCE.test(raw) || (WORD.test(raw) && isShown(node.parent!))) report(node);
      },
    };
  },
};

/** Whether the page shows what the expression comes to, or what one of its two ways does. */
function isShown({ parent }: Node): boolean {
  const isChoice = parent?.type === 'ConditionalExpression' || parent?.type === 'LogicalExpression';
  const container = isChoice ? parent.parent : parent;
  if (container?.type !== 'JSXExpressionContainer') return false;
  const { parent: owner } = container;
  return owner?.type === 'JSXElement' || owner?.type === 'JSXFragment' || isHeard(owner);
}

function isHeard(node: Node | undefined): boolean {
  if (node?.type !== 'JSXAttribute' || typeof node.name !== 'object') return false;
  return typeof node.name.name === 'string' && HEARD.test(node.name.name);
}

export default {
  meta: { name: 'own' },
  rules: {
    'hash-names': hashNames,
    'no-setters': noSetters,
    'no-kind-by-name': noKindByName,
    'words-in-catalogue': wordsInCatalogue,
  },
};

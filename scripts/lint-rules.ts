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

export default {
  meta: { name: 'own' },
  rules: { 'hash-names': hashNames, 'no-setters': noSetters, 'no-kind-by-name': noKindByName },
};

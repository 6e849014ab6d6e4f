/** Packages that most starts never need, and what our rooms import of them. */
export const seldom = {
  diff: ['structuredPatch'],
  yaml: [
    ...['Document', 'LineCounter', 'parse', 'parseAllDocuments', 'stringify', 'visit'],
    ...['isAlias', 'isMap', 'isNode', 'isScalar', 'isSeq'],
  ],
};

/**
 * A module that stands where a package would, for those that most starts never need: the package is loaded when one of its
 * functions is first called. `require` is whatever the text finds around it.
 */
export function standIns(name, exported) {
  const functions = exported.map((key) => `export const ${key} = standIn(${JSON.stringify(key)});`);
  return `let loaded;
const load = (key) => (loaded ??= require(${JSON.stringify(name)}))[key];
const standIn = (key) => new Proxy(function () {}, {
  apply: (_, self, given) => Reflect.apply(load(key), self, given),
  construct: (_, given) => Reflect.construct(load(key), given),
  get: (_, member) => load(key)[member],
});
${functions.join('\n')}
`;
}

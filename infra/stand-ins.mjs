/** Packages that most starts never need, and what our rooms import of them. */
export const seldom = {
  diff: ['structuredPatch'],
  yaml: [
    ...['Document', 'LineCounter', 'parse', 'parseAllDocuments', 'stringify', 'visit'],
    ...['isAlias', 'isMap', 'isNode', 'isScalar', 'isSeq'],
  ],
};

/**
 * In the place of Node's `http`: an import of that touches each of its exports, and these three load Node's whole fetch, which
 * is 20 to 50 ms of a start and 3 MiB.
 */
export function httpAlone() {
  const ofFetch = ['CloseEvent', 'MessageEvent', 'WebSocket'];
  const names = Object.keys(process.getBuiltinModule('node:http'));
  return `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.filter((name) => !ofFetch.includes(name))} } = http;
`;
}

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

/** Of all warnings together; beyond it each is cut, and what comes then is left out. */
const mostLetters = 4096;
const mostOfEach = 256;

/** The warnings as headers. One with a control character cannot be told, and letters travel as their bytes. */
export function warningHeader(warnings: readonly string[]): readonly string[] {
  const all = [...new Set(warnings)].filter(isTellable).map((text) => [...text.toWellFormed()]);
  const isLong = all.reduce((sum, { length }) => sum + length, 0) > mostLetters;
  return (isLong ? cut(all) : all).map((letters) => {
    const header = `299 - ${JSON.stringify(letters.join(''))}`;
    return Buffer.from(header).toString('latin1');
  });
}

function isTellable(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text);
}

type Letters = readonly string[];

function cut(all: readonly Letters[]): readonly Letters[] {
  const told: Letters[] = [];
  let written = 0;
  for (const letters of all) {
    if (written >= mostLetters) break;
    const short = letters.slice(0, mostOfEach);
    told.push(short);
    written += short.length;
  }
  return told;
}

import { build, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { lazily } from '#infra/build/lazily.ts';

/** Stands where the package would, and says when it is loaded. */
const witness: Plugin = {
  name: 'witness',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^pino$/ }, () => ({ path: 'pino', namespace: 'witness' }));
    onLoad({ filter: /.*/, namespace: 'witness' }, () => ({
      contents: `globalThis.loadedLazily = (globalThis.loadedLazily ?? 0) + 1;
        exports.pino = function (name) { return new.target ? { made: name } : 'called ' + name; };
        exports.pino.level = 'static';`,
    }));
  },
};

type Built = { call(): string; make(): { made: string }; member(): string };

async function built(): Promise<Built> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { pino } from 'pino';
        export const call = () => pino('ada');
        export const make = () => new pino('ada');
        export const member = () => pino.level;`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [lazily, witness],
  });
  const text = outputFiles[0]?.text ?? '';
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

describe('a package that is loaded lazily', () => {
  it('is loaded once, by the first that is asked of it, and then is what it is', async () => {
    const { call, make, member } = await built();
    expect(Reflect.get(globalThis, 'loadedLazily')).toBeUndefined();

    expect([call(), make(), member()]).toEqual(['called ada', { made: 'ada' }, 'static']);
    expect(Reflect.get(globalThis, 'loadedLazily')).toBe(1);
  });
});

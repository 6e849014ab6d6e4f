import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '#shared/runtime/config/load.ts';
import { type ConfigChange, type OpenConfig, openConfig } from '#shared/runtime/config/source.ts';

const weighing = (weight: number) => `nodeAffinity: { weight: ${weight} }\n`;
const never = 2 ** 30;

describe('openConfig', () => {
  let folder: string;
  let file: string;
  const open: { close(): void }[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
    file = join(folder, 'gatehouse.yaml');
  });

  afterEach(() => {
    vi.useRealTimers();
    for (const source of open.splice(0)) source.close();
    rmSync(folder, { recursive: true });
  });

  /** An open source, and its changes one after another. */
  function start(options: Partial<OpenConfig> = {}) {
    const waiting: ((change: ConfigChange) => void)[] = [];
    const changes: ConfigChange[] = [];
    const onChange = (change: ConfigChange) => {
      changes.push(change);
      waiting.shift()?.(change);
    };
    const opened = openConfig({ file, pollMs: never, settleMs: 5, ...options, onChange });
    if (!opened.ok) throw new Error('cannot open');
    open.push(opened.source);
    const next = () => new Promise<ConfigChange>((resolve) => waiting.push(resolve));
    return { source: opened.source, next, changes };
  }

  const refusal = () => {
    const opened = openConfig({ file, onChange: () => undefined });
    if (opened.ok) open.push(opened.source);
    return opened.ok ? undefined : opened.problems;
  };

  it('serves the defaults where there is no file', () => {
    const { source } = start({ file: undefined });
    expect(source.current()).toEqual(defaultSettings);
    expect([source.generation(), source.problem(), source.refused()]).toEqual([1, undefined, 0]);
  });

  it('refuses to start without the file that it was told of', () => {
    expect(refusal()).toMatchObject([
      { file, expected: 'a readable file', found: expect.stringContaining('ENOENT') },
    ]);
  });

  it('refuses to start on a bad file, with all that is bad', () => {
    writeFileSync(file, 'log: { level: loud }\nserver: { port: x }\n');
    expect(refusal()).toMatchObject([{ path: 'log.level' }, { path: 'server.port' }]);
  });

  it('refuses a file that is no text, or too much of it', () => {
    writeFileSync(file, Buffer.from([0x61, 0xff, 0xfe]));
    expect(refusal()).toMatchObject([{ expected: 'a readable file' }]);
    writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, '#'));
    expect(refusal()).toMatchObject([{ expected: 'at most 1048576 bytes' }]);
  });

  it('takes a change in place', async () => {
    writeFileSync(file, weighing(1));
    const { source, next } = start();
    expect(source.current().nodeAffinity.weight).toBe(1);

    const change = next();
    writeFileSync(file, weighing(2));
    expect(await change).toMatchObject({ kind: 'taken', generation: 2 });
    expect([source.current().nodeAffinity.weight, source.generation()]).toEqual([2, 2]);
  });

  it('takes a file that an editor put in the place of the old one', async () => {
    writeFileSync(file, weighing(1));
    const { source, next } = start();

    const change = next();
    writeFileSync(`${file}.new`, weighing(2));
    renameSync(`${file}.new`, file);
    await change;
    expect(source.current().nodeAffinity.weight).toBe(2);
  });

  it("takes the kubelet's swap of a ConfigMap, again and again", async () => {
    const publish = (name: string, weight: number) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'gatehouse.yaml'), weighing(weight));
      symlinkSync(name, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    publish('..2030_01', 1);
    symlinkSync(join('..data', 'gatehouse.yaml'), file);
    const { source, next } = start();

    for (const weight of [2, 3]) {
      const change = next();
      publish(`..2030_0${weight}`, weight);
      await change;
      expect(source.current().nodeAffinity.weight).toBe(weight);
    }
  });

  it('finds by polling what the watch of the folder cannot see', async () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'x.yaml'), weighing(1));
    symlinkSync(join(elsewhere, 'x.yaml'), file);
    const { source, next } = start({ pollMs: 10 });

    const change = next();
    writeFileSync(join(elsewhere, 'x.yaml'), weighing(2));
    await change;
    expect(source.current().nodeAffinity.weight).toBe(2);
  });

  it('keeps the last good configuration, says so once, and recovers', async () => {
    writeFileSync(file, weighing(1));
    const { source, next, changes } = start({ pollMs: 5 });

    const bad = next();
    writeFileSync(file, weighing(1_000));
    expect(await bad).toMatchObject({
      kind: 'refused',
      problems: [{ path: 'nodeAffinity.weight', place: { line: 1, column: 25 }, found: '1000' }],
    });
    expect(source.current().nodeAffinity.weight).toBe(1);
    expect([source.generation(), source.refused()]).toEqual([1, 1]);
    expect(source.problem()).toBe(
      `${file}:1:25: nodeAffinity.weight: expected a weight from 1 to 100, found 1000; the last good configuration is kept`,
    );

    const good = next();
    writeFileSync(file, weighing(2));
    await good;
    expect([source.generation(), source.problem(), source.refused()]).toEqual([2, undefined, 1]);
    expect(changes.map(({ kind }) => kind)).toEqual(['refused', 'taken']);
  });

  it('is well again when a bad change is taken back', async () => {
    writeFileSync(file, weighing(1));
    const { source, next } = start();
    const bad = next();
    writeFileSync(file, 'nodeAffinity: 1\n');
    await bad;

    const back = next();
    writeFileSync(file, weighing(1));
    expect(await back).toEqual({ kind: 'restored' });
    expect([source.generation(), source.problem()]).toEqual([1, undefined]);
  });

  it('goes on with what it has when the file is gone', async () => {
    writeFileSync(file, weighing(3));
    const { source, next } = start();
    const gone = next();
    unlinkSync(file);
    expect(await gone).toMatchObject({ kind: 'refused' });
    expect(source.current().nodeAffinity.weight).toBe(3);
    expect(source.problem()).toContain('ENOENT');
  });

  it('does not count a change that changes nothing', async () => {
    writeFileSync(file, weighing(1));
    const { source, next, changes } = start();
    const change = next();
    writeFileSync(file, `# a remark\n${weighing(1)}`);
    writeFileSync(join(folder, 'other.yaml'), 'x');
    writeFileSync(file, weighing(2));
    await change;
    expect([source.generation(), changes.length]).toEqual([2, 1]);
  });

  it('waits until a file that is being written is complete', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    writeFileSync(file, weighing(1));
    const { source, changes } = start({ pollMs: 100, settleMs: 10 });

    writeFileSync(file, 'nodeAffinity: { wei');
    vi.advanceTimersByTime(115);
    writeFileSync(file, weighing(2));
    vi.advanceTimersByTime(10);
    expect([source.current().nodeAffinity.weight, changes]).toEqual([1, []]);

    vi.advanceTimersByTime(10);
    expect(source.current().nodeAffinity.weight).toBe(2);
    expect(changes.map(({ kind }) => kind)).toEqual(['taken']);
  });

  it('says nothing more after it was closed', async () => {
    writeFileSync(file, weighing(1));
    const closed = start({ pollMs: 5 });
    const open = start({ pollMs: 5 });
    closed.source.close();

    const change = open.next();
    writeFileSync(file, weighing(2));
    await change;
    expect(closed.changes).toEqual([]);
    expect(closed.source.current().nodeAffinity.weight).toBe(1);
  });
});

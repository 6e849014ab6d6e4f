import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = `
  const { openLog } = await import('#shared/runtime/log.ts');
  const log = openLog({ level: 'warn' });
  log.info({ at: 1 }, 'too quiet');
  log.error({ at: 2, err: new Error('broken', { cause: new Error('below') }) }, 'loud');
  log.setLevel('debug');
  log.debug({ at: 3 }, 'heard now');
  log.setLevel('error');
  log.warn({ at: 4 }, 'too quiet again');
`;

it('writes a JSON line for each event that is loud enough, to standard error', async () => {
  const args = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);

  expect(stdout).toBe('');
  const lines = stderr.trim().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level: 50, at: 2, msg: 'loud', err: { message: expect.stringContaining('broken') } },
    { level: 20, at: 3, msg: 'heard now' },
  ]);
  expect(JSON.parse(lines[0] ?? '').time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

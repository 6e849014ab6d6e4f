import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { defineEndpoint, type Endpoint } from '#shared/define.ts';
import type { Ports } from '#shared/ports.ts';
import { endpointApp } from '#shared/runtime/invoke/endpoint-app.ts';
import { logRecorded } from '#test/support/running.ts';

const clock = clockAt('2030-01-01T00:00:00Z');

function appOf(endpoint: (ports: Pick<Ports, 'clock'>) => Endpoint, deadlineMs = 1_000) {
  const definition = defineEndpoint({
    name: 'tell-time',
    capability: 'samples',
    trigger: { path: '/time' },
    uses: ['clock'],
    deadlineMs,
    handler: endpoint,
  });
  const log = logRecorded();
  const ports = { clock, settings: {} } as unknown as Ports;
  return { app: endpointApp(definition, { ports, log }), log };
}

describe('endpointApp', () => {
  it.each(['/time', '/time/now?zone=utc'])('hands on %s as it came', async (path) => {
    const { app } = appOf(() => ({ fetch: ({ url }) => new Response(url) }));
    expect(await (await app.request(path)).text()).toBe(`http://localhost${path}`);
  });

  it('carries a Hono app made from its ports', async () => {
    const { app } = appOf((ports) =>
      new Hono().get('/time/now', (call) => call.text(ports.clock.now().toISOString())),
    );
    expect(await (await app.request('/time/now')).text()).toBe('2030-01-01T00:00:00.000Z');
  });

  it('hands over the ports that it uses, and no others', () => {
    let given: object = {};
    appOf((ports) => {
      given = ports;
      return { fetch: () => new Response() };
    });
    expect(Object.keys(given)).toEqual(['clock']);
  });

  it.each(['/', '/timeless', '/other'])('answers 404 at %s', async (path) => {
    const { app } = appOf(() => ({ fetch: () => new Response('reached') }));
    expect((await app.request(path)).status).toBe(404);
  });

  it('answers 500 without internals when it throws, and logs the cause', async () => {
    const cause = new Error('password=hunter2');
    const { app, log } = appOf(() => ({ fetch: () => Promise.reject(cause) }));
    const response = await app.request('/time');
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('tell-time could not answer\n');
    expect(log.lines).toMatchObject([{ level: 'error', fields: { err: cause } }]);
  });

  it('names bytes what they are, where the function does not', async () => {
    const { app } = appOf(() => ({ fetch: () => new Response(new Uint8Array([255, 0])) }));
    const response = await app.request('/time');
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([255, 0]);
  });

  it('answers 504 when it takes too long', async () => {
    const { app } = appOf(() => ({ fetch: () => new Promise(() => {}) }), 5);
    expect((await app.request('/time')).status).toBe(504);
  });
});

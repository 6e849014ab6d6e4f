import { describe, expect, it } from 'vitest';
import { readEnvironment } from '#shared/runtime/config.ts';

describe('readEnvironment', () => {
  it('takes what Gatehouse knows', () => {
    expect(
      readEnvironment({
        GATEHOUSE_CONFIG: '/etc/gatehouse/config.yaml',
        GATEHOUSE_FUNCTIONS: './mine',
        KUBECONFIG: '/home/a/.kube/config',
        KUBERNETES_SERVICE_HOST: '10.0.0.1',
        KUBERNETES_SERVICE_PORT: '6443',
        POD_NAME: 'gatehouse-0',
        POD_NAMESPACE: 'gatehouse-system',
        PORT: '8080',
        DATABASE_URL: 'postgres://db/gatehouse',
        QUEUE: 'sqs',
        GATEHOUSE_SQS_PREFIX: 'gatehouse-test-',
        GATEHOUSE_STATE: '/var/lib/gatehouse',
      }),
    ).toEqual({
      configFile: '/etc/gatehouse/config.yaml',
      functionsFolder: './mine',
      kubeconfig: '/home/a/.kube/config',
      inCluster: { host: '10.0.0.1', port: '6443' },
      podName: 'gatehouse-0',
      podNamespace: 'gatehouse-system',
      port: 8080,
      databaseUrl: 'postgres://db/gatehouse',
      queue: 'sqs',
      sqsPrefix: 'gatehouse-test-',
      stateFolder: '/var/lib/gatehouse',
      colour: undefined,
      warnings: [],
    });
  });

  it('counts on Postgres for the queue, and on a folder here for a database of its own', () => {
    expect(readEnvironment({})).toMatchObject({
      databaseUrl: undefined,
      queue: 'postgres',
      sqsPrefix: 'gatehouse-production',
      stateFolder: '.gatehouse',
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readEnvironment({ GATEHOUSE_CONFIG: '', PORT: '', NO_COLOR: '' })).toEqual(
      readEnvironment({}),
    );
  });

  it.each([
    ['NO_COLOR', { NO_COLOR: '1' }, false],
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, true],
    ['both', { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('decides about colours by %s', (_, variables, expected) => {
    expect(readEnvironment(variables).colour).toBe(expected);
  });

  it.each([
    [
      'a slip of the pen',
      { GATEHOUSE_CONFG: 'x' },
      ['GATEHOUSE_CONFG is not a variable that Gatehouse knows; did you mean GATEHOUSE_CONFIG?'],
    ],
    [
      'something unheard of',
      { GATEHOUSE_WALLPAPER: 'x' },
      ['GATEHOUSE_WALLPAPER is not a variable that Gatehouse knows'],
    ],
    [
      'a port that is none',
      { PORT: 'tcp://10.0.0.1:80' },
      ['PORT: expected a port, found "tcp://10.0.0.1:80"; it is ignored'],
    ],
    [
      'a port out of range',
      { PORT: '65536' },
      ['PORT: expected a port, found "65536"; it is ignored'],
    ],
    ['a queue that is none', { QUEUE: 'sqss' }, ['QUEUE: expected postgres or sqs, found "sqss"']],
    [
      'what the kubelet adds for a Service called gatehouse-webhook',
      {
        GATEHOUSE_WEBHOOK_SERVICE_HOST: '10.0.0.1',
        GATEHOUSE_WEBHOOK_SERVICE_PORT: '443',
        GATEHOUSE_WEBHOOK_SERVICE_PORT_HTTPS: '443',
        GATEHOUSE_WEBHOOK_PORT: 'tcp://10.0.0.1:443',
        GATEHOUSE_WEBHOOK_PORT_443_TCP: 'tcp://10.0.0.1:443',
        GATEHOUSE_WEBHOOK_PORT_443_TCP_ADDR: '10.0.0.1',
      },
      [],
    ],
  ])('warns, or not, about %s', (_, variables, expected) => {
    expect(readEnvironment(variables).warnings).toEqual(expected);
  });
});

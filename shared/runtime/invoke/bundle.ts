import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { Definition } from '#shared/define.ts';
import type { Door } from '../admission/direct-door.ts';
import { once } from '../once.ts';
import type { FaasAnswer, FaasContext, FaasEvent } from './faas.ts';
import { serveHttp, serveHttps } from './serve.ts';
import { openStage, type Stage } from './stage.ts';

/** What every bundle exports: for Lambda, for Knative's functions runtime, and to be run as a program. */
export type Bundle = {
  handler(event: never, context?: object): Promise<unknown>;
  handle(context: FaasContext, event?: FaasEvent): Promise<FaasAnswer>;
  serve(): Promise<void>;
};

export type App = { fetch(request: Request, env?: object): Response | Promise<Response> };

/** A function joined to its loop. */
export type Joined = {
  readonly app: App;
  /** Before the app, where a socket is ours. */
  readonly direct?: Door;
  readonly handler: Bundle['handler'];
  readonly handle: Bundle['handle'];
};

export type Join = {
  readonly definition: Definition;
  readonly schema: readonly KnownMigration[];
  join(stage: Stage): Joined | Promise<Joined>;
};

/** Importing a bundle does nothing: the stage is opened by the first call, and then stands for all of them. */
export function bundleOf({ definition, schema, join }: Join): Bundle {
  const opened = once(async () => {
    const stage = openStage(definition, { schema });
    return { stage, ...(await join(stage)) };
  });
  return {
    handler: async (event, context) => (await opened.get()).handler(event, context),
    handle: async (context, event) => (await opened.get()).handle(context, event),
    async serve() {
      const { stage, ...doors } = await opened.get();
      const { port } = stage.environment;
      // API servers call by HTTPS only.
      if (port === undefined && definition.shape === 'admission') await serveHttps(doors, stage);
      else await serveHttp(doors, { stage, port: port ?? 8080 });
    },
  };
}

import { getRequestListener } from '@hono/node-server';

/** Loaded when a request comes that needs it: with it comes Node's whole fetch, a third of a cold start. */
export { getRequestListener as nodeListener };

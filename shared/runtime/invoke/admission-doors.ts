import { handle } from 'hono/aws-lambda';
import { admissionApp } from '../admission/app.ts';
import type { Desk } from '../admission/desk.ts';
import type { Host } from '../admission/host.ts';
import { faasRequests } from './faas.ts';

/** The app and what calls it, loaded when one of them is called: before API servers most bundles never need them. */
export function admissionDoors(desk: Desk, host: Host, path: string) {
  const app = admissionApp(desk, host);
  return { app, handler: handle(app), handle: faasRequests(app, path) };
}

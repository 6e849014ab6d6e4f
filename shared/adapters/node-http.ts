/**
 * Node's `http` by no import, which would touch each of its exports: one of them loads Node's whole fetch, and that is 20 to
 * 50 ms of a start.
 */
export const { Agent, createServer, get, request } = process.getBuiltinModule('node:http');

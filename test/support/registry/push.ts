import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { Content, MadeImage } from './pushed-image.ts';

export type PushTarget = {
  readonly host: string;
  readonly ca: string;
  readonly repository: string;
  readonly authorization?: string | undefined;
};

/** An image under a tag, and under its digest. */
export async function pushImage(target: PushTarget, image: MadeImage, tag: string): Promise<void> {
  await pushBlob(target, image.config);
  await pushBlob(target, image.layer);
  await pushManifest(target, image.manifest, tag);
}

export async function pushManifest(
  target: PushTarget,
  { mediaType, bytes }: Content,
  name: string,
): Promise<void> {
  await put(target, `/v2/${target.repository}/manifests/${name}`, { mediaType, bytes });
}

export async function pushBlob(target: PushTarget, { digest, bytes }: Content): Promise<void> {
  const path = `/v2/${target.repository}/blobs/uploads/`;
  const { location = '' } = await call(target, { method: 'POST', path });
  const url = new URL(location, `https://${target.host}`);
  url.searchParams.set('digest', digest);
  await put(target, `${url.pathname}${url.search}`, {
    mediaType: 'application/octet-stream',
    bytes,
  });
}

async function put(target: PushTarget, path: string, content: Omit<Content, 'digest'>) {
  const headers = { 'content-type': content.mediaType };
  await call(target, { method: 'PUT', path, headers, body: content.bytes });
}

type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
};

function call(
  { host, ca, authorization }: PushTarget,
  { method, path, headers = {}, body }: Call,
): Promise<IncomingHttpHeaders> {
  const all = { ...headers, ...(authorization === undefined ? {} : { authorization }) };
  return new Promise((resolve, reject) => {
    const sent = request(`https://${host}${path}`, { method, ca, headers: all }, (answer) => {
      answer.resume();
      const { statusCode = 0 } = answer;
      if (statusCode >= 200 && statusCode < 300) resolve(answer.headers);
      else reject(new Error(`${method} ${path}: ${statusCode}`));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

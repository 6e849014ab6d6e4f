import { connect, createServer, type Socket } from 'node:net';

export type Service = { close(): void };

/** As kube-proxy: a connection goes to one of those behind it, in turns; where there is none, it is refused. */
export async function openService(port: number, behind: () => readonly { port: number }[]) {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((near) => {
    const all = behind();
    const chosen = all[turn++ % all.length];
    if (chosen === undefined) return void near.destroy();
    const far = connect(chosen.port, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    }
    near.pipe(far).on('close', () => near.destroy());
    far.pipe(near).on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const service: Service = {
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
  return service;
}

// The file system of PGlite, on disk. Adds fsync, which PGlite's own file system lacks.
import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Init = Parameters<NodeFS['init']>;
type StreamOps = { fsync?: (stream: { nfd: number }) => number };

/**
 * PGlite's own file system has no fsync, so a power failure could lose assigned codes. This class calls the fsync of
 * the operating system. PostgreSQL calls fsync once for each commit (measured).
 */
export class DurableNodeFS extends NodeFS {
  override async init(...[pg, options]: Init): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const addFsync = (module: { NODEFS: object }): void => {
      const { stream_ops } = module.NODEFS as { stream_ops: StreamOps };
      stream_ops.fsync = (stream) => {
        fsyncSync(stream.nfd);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addFsync] } };
  }
}

/**
 * PGlite's start parameters, changed in two ways. `-F` is removed, because it disables fsync. `max_stack_depth` is
 * reduced to 200 kB: PostgreSQL's default of 2 MB is more than the stack in WebAssembly has. With the default, a deeply
 * nested document would overflow this stack and corrupt the engine.
 * With 200 kB, PostgreSQL refuses most deeply nested documents. Very deep JSON still overflows the stack, so
 * `auth/users.ts` limits the depth of JSON from clients.
 */
export const DURABLE_START_PARAMS = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'max_stack_depth=200kB',
];

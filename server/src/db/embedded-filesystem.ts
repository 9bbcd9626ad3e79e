// PGlite's file system on disk, with the fsync that PGlite leaves out.
import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Init = Parameters<NodeFS['init']>;
type StreamOps = { fsync?: (stream: { nfd: number }) => number };

/**
 * PGlite uses Emscripten's NODEFS, which has no fsync: a power failure could lose assigned codes. This class calls the
 * operating system's fsync (measured: one per commit).
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
 * PGlite's start parameters, without `-F`, which would disable fsync. The default stack limit of 2 MB is more than
 * WebAssembly has: a deeply nested document would corrupt the engine's state. With 200 kB PostgreSQL refuses such a
 * statement. Much deeper JSON still overflows, because the parser uses stack that PostgreSQL cannot measure. So JSON
 * from clients is limited before (update-user).
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

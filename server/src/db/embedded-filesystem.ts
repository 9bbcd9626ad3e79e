// PGlite's folder on disk, with the fsync that it leaves out.
import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Init = Parameters<NodeFS['init']>;
type StreamOps = { fsync?: (stream: { nfd: number }) => number };

/**
 * As PGlite ships, PostgreSQL's fsync ends in Emscripten's NODEFS, which has none: a power cut could lose codes that
 * were already handed out. This hands each one to the operating system (measured: one fsync a commit).
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
 * PGlite's start parameters without `-F`, which would switch fsync off. PostgreSQL's default stack limit, 2 MB, is more
 * than WebAssembly has: a deep document corrupts the engine's state. With 200 kB the statement is refused, unless it is
 * much deeper: the JSON parser uses stack that PostgreSQL cannot measure. So callers' JSON is limited before (update-user).
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

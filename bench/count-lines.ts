// Downloads a CSV file and counts its lines, without keeping the file in memory.
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Downloads a CSV file, until `signal` aborts it. Returns the number of its lines without the header. */
export async function countLines(
  url: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<number> {
  let lines = -1;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', at + 1)) lines += 1;
      done();
    },
  });
  try {
    const answer = await fetch(url, { headers, signal: signal ?? null });
    if (!answer.ok || answer.body === null) throw new Error(`${answer.status} for ${url}`);
    await pipeline(answer.body, count);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  return lines;
}

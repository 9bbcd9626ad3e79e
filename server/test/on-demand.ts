// Shares expensive resources, for example a database server, between test files. Vitest's main process creates a
// resource when a test first requests it.
import { once } from 'node:events';
import { createServer } from 'node:http';

type Offer = {
  /** URL of the server. A test passes this URL to `request`. */
  url: string;
  close(): Promise<void>;
};

/**
 * Starts a local HTTP server for a resource. At the first request, the server calls `make` to create the resource. It
 * responds to all requests with the text that `make` returned.
 */
export async function offer(make: () => Promise<string>): Promise<Offer> {
  let made: Promise<string> | null = null;
  const server = createServer((_request, response) => {
    made ??= make();
    made.then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      // Waits until `make` has finished, because the caller can clean up only a resource that is complete.
      await made?.catch(() => undefined);
    },
  };
}

const requests = new Map<string, Promise<string>>();

/**
 * Returns the text that the function `make` of an offer returned. `url` is the URL of the offer.
 * @throws Error with the stack trace of `make` if `make` failed.
 */
export function request(url: string): Promise<string> {
  let asked = requests.get(url);
  if (asked === undefined) {
    asked = fetch(url).then(async (response) => {
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    });
    requests.set(url, asked);
  }
  return asked;
}

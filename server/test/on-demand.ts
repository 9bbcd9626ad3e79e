// Expensive things that many test files share: Vitest's own process makes each when the first test asks for it.
import { once } from 'node:events';
import { createServer } from 'node:http';

type Offer = {
  /** Pass it to `request`. */
  url: string;
  close(): Promise<void>;
};

/** Calls `make` at the first request; each request returns the text that it resolves to. */
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
      // A thing that is still being made cannot be taken away.
      await made?.catch(() => undefined);
    },
  };
}

const requests = new Map<string, Promise<string>>();

/** Returns what is offered at `url`. @throws with the stack trace of the maker, when it failed. */
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

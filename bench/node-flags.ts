// The flags with which script/start runs the server, so that what is measured and tested is what people run.
import { readFileSync } from 'node:fs';

const START = new URL('../script/start', import.meta.url);

/** To stand before the server's own file. */
export const NODE_FLAGS: string[] =
  /^exec node (.*) server\/src\/main\.ts/m.exec(readFileSync(START, 'utf8'))?.[1]?.split(' ') ?? [];

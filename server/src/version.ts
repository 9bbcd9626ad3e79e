// The version of the portal, as /healthz, the doctor and the footer of staff pages name it (R-DAY-55).
import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../../package.json', import.meta.url);

/** The version in package.json, such as 0.3.0. */
export const VERSION = (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version;

// Checks for script/portal doctor the brand file, data folder, mail server, public address, and external sign-in
// services.
import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { listExampleFields, readBrand } from '../brand.ts';
import { type Config, isLoopback } from '../config.ts';
import { checkSmtp } from '../gateways/mailer.ts';
import { findSecretKey } from '../secret-key.ts';
import { VERSION } from '../version.ts';
import { type CheckResult, find } from './examine-database.ts';

const TIMEOUT_MS = 5_000;
const LEAST_FREE_BYTES = 1e9;
const OTHERS = 0o077;

const health = z.object({ status: z.literal('ok'), version: z._default(z.string(), 'an older version') });

export async function examineMachine(config: Config): Promise<CheckResult[]> {
  return [
    await find('brand', async () => {
      const settings = await readBrand(config.brandFile);
      const neutral = listExampleFields(settings, config.publicUrl);
      if (neutral.length > 0)
        throw new Error(
          `these fields are still the examples: ${neutral.join(', ')}. Set them in BRAND_FILE; see brand.example.json`,
        );
      return config.brandFile === null
        ? 'the built-in one (no BRAND_FILE)'
        : `${config.brandFile}: ${settings.brand.name}; after a change, restart the portal`;
    }),
    await examineFolder(config),
    await examineMail(config),
    ...(await examineAddress(config)),
    ...(await examineSignIn(config)),
  ];
}

async function examineFolder({ databaseUrl, dataDir, secretKey }: Config): Promise<CheckResult> {
  const about = 'data folder';
  if (databaseUrl !== null) return { about, state: 'unknown', text: 'not used with DATABASE_URL' };
  const folder = await stat(dataDir).catch(() => null);
  if (folder === null)
    return { about, state: 'unknown', text: `${dataDir} is not there: the first start makes it` };
  return find(about, async () => {
    await refuseOthers(dataDir, '700');
    await refuseOthers(join(dataDir, 'secret-key'), '600');
    if (secretKey === null) await findSecretKey(dataDir);
    await access(dataDir, constants.W_OK).catch(() => {
      throw new Error(
        `${dataDir} cannot be written by this user: run the tool as the portal's user, or chown it`,
      );
    });
    const { bavail, bsize } = await statfs(dataDir);
    const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`;
    if (bavail * bsize < LEAST_FREE_BYTES)
      throw new Error(`${dataDir}: only ${free}: make room on that disk`);
    return `${dataDir}: only its owner may enter; ${free}`;
  });
}

async function refuseOthers(path: string, mode: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || (found.mode & OTHERS) === 0) return;
  throw new Error(`others may read ${path}: chmod ${mode} ${path}`);
}

async function examineMail({ smtpUrl }: Config): Promise<CheckResult> {
  const about = 'mail';
  if (smtpUrl === null) {
    const text = 'no SMTP_URL: mails are kept in memory and shown at /dev/outbox';
    return { about, state: 'unknown', text };
  }
  const { host } = new URL(smtpUrl);
  return find(
    about,
    async () => {
      await checkSmtp({ url: smtpUrl });
      return `${host} takes the connection and the login; nothing was sent`;
    },
    `SMTP_URL names ${host}: mend its host, port, user or password there, or the mail server.`,
  );
}

async function examineAddress({ publicUrl, host, port, trustedProxies }: Config): Promise<CheckResult[]> {
  const about = 'address';
  const here = `http://${host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host}:${port}`;
  const local = await askHealth(here).catch(() => null);
  if (local === null) {
    const text = `no portal answers at ${here}: start it, or set its PORT in .env, and ask again to see whether ${publicUrl} reaches it`;
    return [
      { about: 'version', state: 'ok', text: VERSION },
      { about, state: 'unknown', text },
    ];
  }
  const reached = await find(
    about,
    async () => {
      const apartMs = Math.abs(Date.now() - (await askHealth(publicUrl)).time);
      if (apartMs > TIMEOUT_MS)
        throw new Error(
          `the clock behind ${publicUrl} is ${Math.round(apartMs / 1000)} s away from this machine's`,
        );
      return `${publicUrl} reaches a portal`;
    },
    `The portal answers at ${here}: mend PUBLIC_URL, its DNS, its certificate or the proxy in front.`,
  );
  const version = await find('version', async () => {
    if (local.version !== VERSION)
      throw new Error(
        `the portal that runs is ${local.version}, but this folder has ${VERSION}: restart the portal`,
      );
    return VERSION;
  });
  return isLoopback(publicUrl)
    ? [version, reached]
    : [version, reached, await find('proxy', () => checkProxy(publicUrl, trustedProxies))];
}

async function checkProxy(publicUrl: string, trustedProxies: number): Promise<string> {
  if (!publicUrl.startsWith('https:'))
    throw new Error(
      `${publicUrl} is not encrypted: put a proxy with a certificate in front, and set PUBLIC_URL to https://`,
    );
  if (trustedProxies === 0)
    throw new Error(
      'TRUSTED_PROXIES is 0 behind https: everybody counts as one address, that of the proxy, and shares its limits. Set it to the number of proxies',
    );
  return `https, behind ${trustedProxies === 1 ? 'one proxy' : `${trustedProxies} proxies`}`;
}

// Returns the time of the portal at the address `origin`, in milliseconds since 1970, and its version; portals before
// 0.3.0 name none. Throws if no portal responds.
async function askHealth(origin: string): Promise<{ time: number; version: string }> {
  const url = `${origin}/healthz`;
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const body = health.safeParse(await response.json().catch(() => null));
  if (response.status !== 200 || !body.success)
    throw new Error(`${url} is answered by something else (status ${response.status})`);
  const time = Date.parse(response.headers.get('date') ?? '') || Date.now();
  return { time, version: body.data.version };
}

async function examineSignIn({ auth: { hosted, google } }: Config): Promise<CheckResult[]> {
  if (hosted !== null) {
    const headers: Record<string, string> = hosted.anonKey === null ? {} : { apikey: hosted.anonKey };
    return [await findService('AUTH_URL', `${hosted.url}/settings`, headers)];
  }
  if (google === null) return [];
  const issuer = google.issuer.replace(/\/$/, '');
  return [await findService('GOOGLE_ISSUER', `${issuer}/.well-known/openid-configuration`, {})];
}

function findService(about: string, url: string, headers: Record<string, string>): Promise<CheckResult> {
  return find(
    about,
    async () => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, { headers, redirect: 'error', signal });
      if (!response.ok) throw new Error(`${url} answers ${response.status}`);
      return `${url} answers`;
    },
    `Mend ${about}, or the way there.`,
  );
}

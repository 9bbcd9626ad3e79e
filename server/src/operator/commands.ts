// The operator's commands. Each command does the same whether the portal is running or stopped.
import type { CsvKind } from '@portal/contract';
import type { Database } from '../db/database.ts';
import { importCsv, type UploadTools } from '../usecases/import-csv.ts';
import { recountTally } from '../usecases/recount-tally.ts';
import { voidCodes } from '../usecases/void-codes.ts';
import { OperatorError, readEmail, rethrowForOperator, takeFlag } from './arguments.ts';
import { auditCommands } from './audit-commands.ts';
import { jobCommands } from './job-commands.ts';
import { teamCommands } from './team-commands.ts';

/** Functions of the embedded sign-in service that operator commands call. */
export type SignInTools = {
  /**
   * Ends all sessions of an address. With `unlink`, also removes the links to accounts at providers such as Google.
   * Returns the numbers of ended sessions and of removed links.
   */
  revokeSessions(whose: { email: string; unlink: boolean }): Promise<{ sessions: number; unlinked: number }>;
  /**
   * Creates a new signing key and returns its id. With `revoke`, the portal refuses tokens signed with an older key.
   */
  rotateKeys(options: { revoke: boolean }): Promise<string>;
};

/**
 * Dependencies of the commands. `signIn` is null if the sign-in service is hosted. `adminEmails` contains the addresses
 * in ADMIN_EMAILS.
 */
export type OperatorTools = {
  db: Database;
  uploadTools: UploadTools;
  signIn: SignInTools | null;
  adminEmails: readonly string[];
  /** IANA name of the portal's time zone. */
  timeZone: string;
};

/**
 * A command as sent to the portal: the arguments, and the content of the file that the arguments name. script/portal
 * reads the file, because the running portal may have another working folder. `folder` is the folder in which the
 * operator called script/portal; names of files to be written are relative to it.
 */
export type OperatorRequest = {
  args: readonly string[];
  folder: string;
  file?: { name: string; text: string } | undefined;
};

export type Command = {
  usage: string;
  summary: string;
  run(tools: OperatorTools, request: OperatorRequest): Promise<string>;
};

const commands: Record<string, Command> = {
  ...teamCommands,
  'import products': importCommand('products', 'products <file.csv>', 'add products from a CSV file'),
  'import users': importCommand(
    'users',
    'users <file.csv> --product <id> …',
    'add users from a CSV file and give them the products',
  ),
  'import coupons': importCommand(
    'coupons',
    'coupons <file.csv> --product <id>',
    'add the codes of one product from a CSV file',
  ),
  'codes void': {
    usage: 'codes void <file.csv>|--all --product <id>',
    summary: 'take codes out that must not be handed out: those that the file names, or all that are free',
    run: async ({ db }, { args, file }) => {
      const [product_id = ''] = readProducts('coupons', args);
      const { flag: all } = takeFlag(args, '--all');
      if (all === (file !== undefined))
        throw new OperatorError('Name a CSV file of codes, or say --all for those that are free.');
      const which = { product_id, actor: 'operator', csvData: file?.text ?? null };
      const { voided, assigned, unknown } = await voidCodes(db, which, () => new Date()).catch(
        rethrowForOperator,
      );
      const left = `${assigned} stay with those who hold them, ${unknown} are void already or no codes of this product`;
      return `${voided} codes voided${all ? '.' : `; ${left}.`}`;
    },
  },
  'sessions revoke': {
    usage: 'sessions revoke <e-mail> [--unlink]',
    summary: 'sign an address out everywhere; with --unlink also part it from its Google account',
    run: async ({ signIn }, { args }) => {
      const { flag: unlink, rest } = takeFlag(args, '--unlink');
      const email = readEmail(rest);
      const tools = requireEmbeddedSignIn(signIn, 'Sessions');
      const { sessions, unlinked } = await tools.revokeSessions({ email, unlink });
      const counted = sessions === 1 ? 'One session' : `${sessions} sessions`;
      const done = sessions === 0 ? `${email} was not signed in.` : `${counted} of ${email} ended.`;
      const parted = unlinked === 0 ? 'No Google account was linked.' : 'The Google account is unlinked.';
      return `${done} Links and codes mailed before are worthless.${unlink ? ` ${parted}` : ''}`;
    },
  },
  'keys rotate': {
    usage: 'keys rotate [--revoke]',
    summary: 'let a new key sign the access tokens; with --revoke refuse those of the old one',
    run: async ({ signIn }, { args }) => {
      const { flag: revoke, rest } = takeFlag(args, '--revoke');
      if (rest.length > 0)
        throw new OperatorError(`keys rotate takes --revoke and nothing more (got: ${rest.join(' ')}).`);
      const kid = await requireEmbeddedSignIn(signIn, 'Signing keys').rotateKeys({ revoke });
      const old = revoke
        ? 'Tokens of older keys are refused from then on; browsers renew theirs by themselves.'
        : 'Tokens of the old key live to their end.';
      return `The key ${kid} signs from now on, in every process within ten seconds. ${old}`;
    },
  },
  ...jobCommands,
  ...auditCommands,
  'figures recount': {
    usage: 'figures recount',
    summary: 'count codes and users anew, and find free codes again, while the portal serves',
    run: async ({ db }, { args }) => {
      if (args.length > 0) throw new OperatorError(`figures recount takes nothing (got: ${args.join(' ')}).`);
      const { figures, wrong, reopened } = await recountTally(db, new Date());
      const found =
        wrong === 0
          ? 'all were right'
          : wrong === 1
            ? 'one was wrong and is mended'
            : `${wrong} were wrong and are mended`;
      const hidden = reopened === 0 ? '' : ' Free codes that no claim could find are handed out again.';
      return `${figures} figures counted anew; ${found}.${hidden}`;
    },
  },
};

/**
 * Help texts of `backup`, `backup-key`, `restore` and `doctor`. The file operator.ts runs these commands itself: they
 * concern files, the machine, or a database that may not exist yet.
 */
const toolCommands: Record<string, Pick<Command, 'usage' | 'summary'>> = {
  backup: {
    usage: 'backup <file> [--encrypt [--to <key>]]',
    summary:
      'save all that the database holds, while the portal serves; --encrypt takes a passphrase, with --to a public key or a file of them',
  },
  'backup-key': {
    usage: 'backup-key <file>',
    summary: 'write a new secret key, which decrypts backups, to a file; print its public key',
  },
  restore: {
    usage: 'restore <file> [--key <file>] [--without-keys]',
    summary:
      'put a backup into an empty database, without its sessions; --key names the secret key; --without-keys leaves the signing keys out',
  },
  doctor: {
    usage: 'doctor',
    summary: 'look at the deployment and say what is wrong; status 1 when something is',
  },
};

function requireEmbeddedSignIn(signIn: SignInTools | null, what: string): SignInTools {
  if (signIn !== null) return signIn;
  throw new OperatorError(
    `${what} are the business of the hosted sign-in service (AUTH_URL): use its own tools.`,
  );
}

function importCommand(kind: CsvKind, usage: string, summary: string): Command {
  return {
    usage: `import ${usage}`,
    summary,
    run: async ({ db, uploadTools }, { args, file }) => {
      const product_ids = readProducts(kind, args);
      if (file === undefined) throw new OperatorError(`Name a CSV file: script/portal import ${usage}`);
      const upload = { kind, csvData: file.text, file_name: file.name, product_ids, actor: 'operator' };
      const { state, reason, results, errors } = await importCsv(db, upload, uploadTools).catch(
        rethrowForOperator,
      );
      if (state === 'failed') throw new OperatorError(`The import failed: ${reason}`);
      if (results === null)
        return 'The import is not done; it goes on in the running portal, or when it starts again (script/portal jobs list).';
      const { success, duplicates, failures, productAccess, generated, total } = results;
      const counts = `${total} rows: ${success} created, ${duplicates} duplicates, ${failures} failed`;
      const access = kind === 'users' ? `, ${productAccess} product access granted` : '';
      const made = generated > 0 ? `, ${generated} codes generated for blank rows` : '';
      return [counts + access + made, ...errors.map(({ row, message }) => `  line ${row}: ${message}`)].join(
        '\n',
      );
    },
  };
}

function readProducts(kind: CsvKind, args: readonly string[]): string[] {
  const named = args.flatMap((arg, at) => (args[at - 1] === '--product' ? arg : []));
  const wrong =
    kind === 'products' ? named.length > 0 : kind === 'coupons' ? named.length !== 1 : named.length === 0;
  if (wrong) {
    const wanted = { products: 'no product', users: 'at least one product', coupons: 'one product' }[kind];
    throw new OperatorError(`This needs ${wanted} named by --product <id>.`);
  }
  return named;
}

/** Returns the help text of the commands that match `args`, or of all commands if none matches. */
export function describeCommands(args: readonly string[] = []): string {
  const words = args.filter((word) => !word.startsWith('-')).join(' ');
  const all = Object.entries({ ...commands, ...toolCommands });
  const listed = all.filter(([name]) => words === '' || words.startsWith(name) || name.startsWith(words));
  const shown = listed.length > 0 ? listed : all;
  const lines = shown.map(([, { usage, summary }]) => `  script/portal ${usage.padEnd(42)} ${summary}`);
  return ['Usage:', ...lines].join('\n');
}

/** Returns the command that the first two arguments name. @throws OperatorError if there is no such command. */
export function findCommand(args: readonly string[]): Command {
  const name = args.slice(0, 2).join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  throw new OperatorError(`Unknown command: ${args.join(' ') || '(none)'}\n${describeCommands()}`);
}

/**
 * Runs a command and returns its output. @throws OperatorError if the command is unknown or its arguments are wrong.
 */
export async function runCommand(tools: OperatorTools, { args, ...rest }: OperatorRequest): Promise<string> {
  return findCommand(args).run(tools, { args: args.slice(2), ...rest });
}

// The operator's commands that import a CSV file, and the command that voids codes.
import {
  type CsvKind,
  ENCODINGS,
  type Encoding,
  type ImportPreview,
  type ImportResults,
  type LeftOut,
  type RowError,
} from '@portal/contract';
import * as z from 'zod/mini';
import { type DryRun, previewImport } from '../bulk/check.ts';
import { importCsv } from '../bulk/uploads.ts';
import { voidCodes } from '../features/codes/void.ts';
import {
  flag,
  OperatorError,
  type OperatorRequest,
  type OperatorTools,
  portalCommand,
  rethrowForOperator,
  text,
} from './command.ts';

const CSV_FILE = {
  form: '<file.csv>',
  help: 'the CSV file',
  schema: text,
  wanted: 'Name one CSV file',
  isFile: true,
};

const ONE_PRODUCT = {
  form: '--product <id>',
  help: 'the product of the codes',
  schema: text,
  wanted: 'This needs one product named by --product <id>',
};

const LABELS = Object.keys(ENCODINGS) as Encoding[];
const ENCODING = {
  form: '--encoding <name>',
  help: `how the letters of the file are stored: ${LABELS.join(', ')}`,
  schema: z.optional(z.enum(LABELS)),
  wanted: `--encoding is one of ${LABELS.join(', ')}`,
};

const DRY_RUN = flag('--dry-run', 'check the file and show what the import would do; import nothing');

export const importCommands = [
  portalCommand({
    name: 'import products',
    summary: 'add products from a CSV file',
    takes: { csv: CSV_FILE, encoding: ENCODING, dryRun: DRY_RUN },
    run: (tools, { dryRun }, request) =>
      importFile(tools, request, { kind: 'products', product_ids: [], dryRun }),
  }),
  portalCommand({
    name: 'import users',
    summary: 'add users from a CSV file and give them the products',
    takes: {
      product: {
        form: '--product <id>',
        help: 'a product that the users get; may be given several times',
        schema: z.array(text).check(z.minLength(1)),
        wanted: 'This needs at least one product named by --product <id>',
        repeats: true,
      },
      csv: CSV_FILE,
      updateNames: flag('--update-names', 'give known users the names of the file'),
      encoding: ENCODING,
      dryRun: DRY_RUN,
    },
    run: (tools, { product, dryRun, updateNames: update_names }, request) =>
      importFile(tools, request, { kind: 'users', product_ids: product, dryRun, update_names }),
  }),
  portalCommand({
    name: 'import coupons',
    summary: 'add the codes of one product from a CSV file',
    takes: { product: ONE_PRODUCT, csv: CSV_FILE, encoding: ENCODING, dryRun: DRY_RUN },
    run: (tools, { product, dryRun }, request) =>
      importFile(tools, request, { kind: 'coupons', product_ids: [product], dryRun }),
  }),
  portalCommand({
    name: 'codes void',
    summary: 'take codes out that must not be handed out: those that a file names, or all that are free',
    takes: {
      product: ONE_PRODUCT,
      csv: { ...CSV_FILE, form: '[file.csv]', schema: z.optional(text) },
      all: flag('--all', 'all codes of the product that are free'),
    },
    run: async ({ db }, { product, all }, { file }) => {
      if (all === (file !== undefined))
        throw new OperatorError('Name a CSV file of codes, or say --all for those that are free.');
      const which = { product_id: product, actor: 'operator', csvData: file?.text ?? null };
      const { voided, assigned, unknown, left_out } = await voidCodes(db, which, () => new Date()).catch(
        rethrowForOperator,
      );
      const left = `${assigned} stay with those who hold them, ${unknown} are void already or no codes of this product`;
      return [`${voided} codes voided${all ? '.' : `; ${left}.`}`, ...listLeftOut(left_out)].join('\n');
    },
  }),
];

// The encoding is named unless it is UTF-8, because any other one was guessed or was said by the operator.
type Order = Omit<DryRun, 'csvData'> & { dryRun: boolean };

async function importFile(tools: OperatorTools, request: OperatorRequest, order: Order): Promise<string> {
  const shown = await readAndImport(tools, request, order);
  const encoding = request.file?.encoding ?? ENCODINGS['utf-8'];
  return encoding === ENCODINGS['utf-8'] ? shown : `${shown}\nRead as ${encoding}.`;
}

async function readAndImport(
  { db, uploadTools }: OperatorTools,
  { file }: OperatorRequest,
  { dryRun, ...order }: Order,
): Promise<string> {
  if (file === undefined) throw new OperatorError('The content of the CSV file is missing.');
  const { kind } = order;
  const upload = { ...order, csvData: file.text };
  if (dryRun)
    return describePreview(kind, await previewImport(db, upload, uploadTools).catch(rethrowForOperator));
  const sent = { ...upload, file_name: file.name, actor: 'operator' };
  const { state, reason, results, errors, left_out } = await importCsv(db, sent, uploadTools).catch(
    rethrowForOperator,
  );
  if (state === 'failed') throw new OperatorError(`The import failed: ${reason}`);
  if (results === null)
    return 'The import is not done; it goes on in the running portal, or when it starts again (script/portal jobs list).';
  return describeResults(kind, results, { errors, left_out });
}

type Lines = { errors: Pick<RowError, 'row' | 'message'>[]; left_out: LeftOut[] };

const listLeftOut = (lines: readonly LeftOut[]) =>
  lines.map(({ line, why }) => `  line ${line}: left out (${why})`);

/** Returns the counts of an import, and one line for each row in `errors` and each line that is no data. */
function describeResults(kind: CsvKind, results: ImportResults, { errors, left_out }: Lines): string {
  const { success, duplicates, failures, productAccess, generated, total, without_name, renamed } = results;
  const counts = `${total} rows: ${success} created, ${duplicates} duplicates, ${failures} failed`;
  const access = kind === 'users' ? `, ${productAccess} product access granted` : '';
  const made = generated > 0 ? `, ${generated} codes generated for blank rows` : '';
  const lines = errors.map(({ row, message }) => `  line ${row}: ${message}`);
  const unnamed = without_name ? `, ${without_name} without a name` : '';
  const names = renamed ? `, ${renamed} names updated` : '';
  return [counts + access + made + unnamed + names, ...listLeftOut(left_out), ...lines].join('\n');
}

/** Returns the output that the import would have, and the warnings that staff see for a checked file. */
function describePreview(kind: CsvKind, { preview, ...rows }: { preview: ImportPreview } & Lines): string {
  const { total, duplicate, in_file_twice, invalid, access_new, generated, was_void, case_only } = preview;
  const { without_name, renamed } = preview;
  const duplicates = duplicate + in_file_twice;
  const counts = { total, success: preview.new, duplicates, failures: invalid, without_name, renamed };
  const lines = [
    'Dry run: nothing was imported. The import would report:',
    describeResults(kind, { ...counts, productAccess: access_new, generated }, rows),
  ];
  if (in_file_twice > 0) lines.push(`${in_file_twice} of the duplicates stand twice in the file.`);
  if (was_void > 0) lines.push(`${was_void} of the codes were void and become free again.`);
  if (case_only > 0) lines.push(`${case_only} of the codes differ from another code only in case.`);
  for (const { name, count } of preview.elsewhere)
    lines.push(`Of the first 1,000 codes, ${count} are already in ${name}. Is this the right product?`);
  return lines.join('\n');
}

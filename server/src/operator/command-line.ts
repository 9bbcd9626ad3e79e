// Parses the command line of script/portal, and writes its help, with commander and the declarations of the commands.
import { Argument, Command, CommanderError, Option } from 'commander';
import {
  type Call,
  type Declaration,
  describeUsage,
  type Field,
  isOption,
  OperatorError,
  readValues,
  refuseValue,
} from './command.ts';

const UNKNOWN_COMMAND = ['commander.unknownCommand', 'commander.help'];
// The usage of a command that takes nothing. Without a usage, commander would show `[options]`.
const TAKES_NOTHING = '[--help]';

/**
 * Returns the call of a command in `argv` with its checked values. Returns the help if `argv` is empty or requests
 * help.
 * @throws OperatorError if the command or an option is unknown, or a value is missing, invalid or one too many.
 */
export function parseCommandLine(
  commands: readonly Declaration[],
  argv: readonly string[],
): { command: Declaration; call: Call; values: Record<string, unknown> } | { help: string } {
  let help = '';
  const tool = new Command('script/portal')
    .usage('<command>')
    .helpCommand(false)
    .helpOption('-h, --help', 'show the help of the tool, or of a command')
    .configureOutput({ writeOut: (shown) => (help += shown), writeErr: () => undefined })
    .configureHelp({
      subcommandTerm: (parser) => `${parser.name()} ${parser.usage()}`.replace(` ${TAKES_NOTHING}`, ''),
      // The help of `jobs` lists `jobs list`, `jobs retry` and `jobs cancel` only.
      visibleCommands: ({ commands: all }) => {
        const inGroup = all.filter((parser) => parser.name().startsWith(`${argv[0]} `));
        return inGroup.length > 0 ? inGroup : [...all];
      },
    })
    .allowExcessArguments()
    .exitOverride();
  for (const command of commands) tool.addCommand(createParser(command).copyInheritedSettings(tool));
  if (argv.length === 0) return { help: tool.helpInformation().trimEnd() };
  // For commander, a name of two words such as `admin add` is one command. So the help of the tool lists all commands.
  const countWords = ({ name }: Declaration) => name.split(' ').length;
  const command = commands.find((each) => each.name === argv.slice(0, countWords(each)).join(' '));
  const parser = tool.commands.find((each) => each.name() === command?.name);
  try {
    tool.parse(command ? [command.name, ...argv.slice(countWords(command))] : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: help.trimEnd() };
    if (UNKNOWN_COMMAND.includes(error.code))
      throw new OperatorError(`Unknown command: ${argv.join(' ')}\n${tool.helpInformation().trimEnd()}`);
    const lacksValue = (field: Field) => error.message === `error: option '${field.form}' argument missing`;
    const field = Object.values(command?.takes ?? {}).find(lacksValue);
    if (command && field) throw refuseValue(command, field, '');
    const name = command ? `script/portal ${command.name}` : 'script/portal';
    const words = error.message.replace('error: ', '').replaceAll('\n', ' ');
    throw new OperatorError(`${name}: ${words}.`);
  }
  if (!(command && parser)) throw new Error(`commander found another command: ${argv.join(' ')}`);
  const call = { command: command.name, args: parser.args, options: parser.opts<Call['options']>() };
  return { command, call, values: readValues(command, call) };
}

function createParser(command: Declaration): Command {
  const parser = new Command(command.name).description(command.summary);
  parser.usage(describeUsage(command) || TAKES_NOTHING);
  for (const field of Object.values(command.takes)) {
    if (isOption(field)) parser.addOption(createOption(command, field));
    // `readValues` refuses missing and surplus arguments.
    else parser.addArgument(new Argument(field.form, field.help).argOptional());
  }
  return parser;
}

function createOption(command: Declaration, field: Field): Option {
  const option = new Option(field.form, field.help);
  if (!option.required) return option;
  return option.argParser((value: string, earlier: string | string[] | undefined) => {
    if (field.repeats) return [earlier ?? [], value].flat();
    if (earlier !== undefined) throw refuseValue(command, field, `${earlier} ${value}`);
    return value;
  });
}

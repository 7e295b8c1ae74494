/** The command line: its help, its document, and its response to unknown commands and to ports in use. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import * as assert from 'uvu/assert'
import { allCommands, createProgram } from '../../src/commands/program.js'
import { type AnyCommand, EXIT, optionName, wrongValue } from '../../src/start/operator/declaration.js'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'

const test = suite('command line')
const DOCUMENT = 'docs/commands.md'

const runWith = (
  env: Record<string, string>,
  ...args: string[]
): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [...moduleArguments('../../src/main.js', import.meta.url), ...args], {
    env: { ...process.env, ...env },
  }).catch((error) => error)
const run = (...args: string[]) => runWith({}, ...args)

test('the error for an unknown command suggests the intended one', async () => {
  const { stderr, code } = await run('tokn', 'ada@example.org')
  assert.is(code, EXIT.failed)
  assert.match(stderr, /unknown command 'tokn'\s+\(Did you mean token\?\)/)
})

test('a missing argument, an unknown option and a wrong choice end with the code for failures', async () => {
  for (const args of [['token'], ['gc', '--now'], ['check', '.', '--format', 'pdf'], ['org', 'create', 'Acme']]) {
    const { stdout, stderr, code } = await run(...args)
    assert.equal([code, stdout], [EXIT.failed, ''], args.join(' '))
    assert.match(stderr, /^error: /)
  }
})

test('--version prints the version', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.is((await run('--version')).stdout.trim(), version)
})

/** Finds the command of a declaration in the parsed command line. */
function commandOf({ name }: AnyCommand, program: Command): Command {
  let at: Command | undefined = program
  for (const word of name.split(' ')) at = at?.commands.find((one) => one.name() === word)
  assert.ok(at, name)
  return at as Command
}

test('the help of a command has its parameters, --json and an example that parses', () => {
  const program = createProgram('0.0.0')
  for (const declared of allCommands) {
    let help = ''
    const command = commandOf(declared, program)
    command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp()
    for (const [name, { kind, description }] of Object.entries(declared.parameters)) {
      assert.ok(help.includes(kind === 'argument' ? `<${name}>` : optionName(name)), `${declared.name} ${name}`)
      assert.ok(help.replace(/\s+/g, ' ').includes(description.slice(0, 30)), `${declared.name} ${name}`)
    }
    assert.match(help, /--json/)
    assert.ok(help.includes(`$ ${declared.example}`), declared.name)
    assert.ok(declared.example.startsWith(`bindery ${declared.name}`), declared.example)
    const words =
      declared.example
        .slice(`bindery ${declared.name}`.length)
        .replace(/<.*$/, '')
        .match(/'[^']*'|\S+/g) ?? []
    const { operands, unknown } = command.parseOptions(words)
    assert.equal(unknown, [], declared.example)
    const needed = Object.values(declared.parameters).filter(({ kind }) => kind === 'argument')
    assert.is(operands.length, needed.length, declared.example)
  }
})

test('values that do not fit the declaration of a command are named', () => {
  const token = allCommands.find(({ name }) => name === 'token')
  assert.ok(token)
  const { parameters } = token as AnyCommand
  const good = { email: 'ada@example.org', label: 'CI', claimedIn: undefined }
  assert.is(wrongValue(parameters, good), null)
  assert.is(wrongValue(parameters, { ...good, email: '' }), 'email')
  assert.is(wrongValue(parameters, { ...good, label: undefined }), 'label')
  assert.is(wrongValue(parameters, { ...good, claimedIn: ['a'] }), 'claimedIn')
  assert.is(wrongValue(parameters, { ...good, email: 'a'.repeat(5_000) }), 'email')
  assert.is(wrongValue(parameters, { ...good, secret: 'x' }), 'secret')
})

const sectionOf = ({ name, summary, parameters, example }: AnyCommand): string => {
  const entries = Object.entries(parameters)
  const usage = entries.filter(([, { kind }]) => kind === 'argument').map(([one]) => ` <${one}>`)
  const rows = entries.map(([one, parameter]) => {
    const { kind, description } = parameter
    if (kind === 'argument') return `| \`<${one}>\` | ${description} |`
    if (kind === 'flag') return `| \`${optionName(one)}\` | ${description} |`
    const notes = [
      kind === 'required option' ? 'required' : '',
      !('fallback' in parameter) || parameter.fallback === undefined ? '' : `default: \`${parameter.fallback}\``,
      parameter.choices === undefined ? '' : `one of ${parameter.choices.map((choice) => `\`${choice}\``).join(', ')}`,
    ].filter((note) => note !== '')
    return `| \`${optionName(one)} ${parameter.value}\` | ${[description, ...notes].join('; ')} |`
  })
  const title = `## ${name}\n\n\`bindery ${name}${usage.join('')}\`: ${summary}.\n`
  const table = rows.length === 0 ? '' : `\n| parameter | meaning |\n|---|---|\n${rows.join('\n')}\n`
  return `${title}${table}\nExample: \`${example}\`\n`
}

test('docs/commands.md lists the commands as they are declared', async () => {
  const text = await readFile(DOCUMENT, 'utf8')
  const section = `<!-- commands -->\n${allCommands.map(sectionOf).join('\n')}<!-- /commands -->`
  if (process.env.UPDATE_GOLDEN === '1' && !process.env.CI)
    await writeFile(
      DOCUMENT,
      text.replace(/<!-- commands -->[\s\S]*<!-- \/commands -->/, () => section),
    )
  assert.ok((await readFile(DOCUMENT, 'utf8')).includes(section), 'run with UPDATE_GOLDEN=1 to write the list')
})

test('a server whose port is in use ends with a message that names the setting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-'))
  const other = createServer()
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  const port = String((other.address() as AddressInfo).port)
  for (const [taken, free] of [
    ['BINDERY_PORT', 'BINDERY_SITES_PORT'],
    ['BINDERY_SITES_PORT', 'BINDERY_PORT'],
  ] as const) {
    const folders = { BINDERY_DATA_DIR: join(folder, 'data'), BINDERY_REPOS_DIR: join(folder, 'repos') }
    const { stderr, code } = await runWith({ ...folders, [taken]: port, [free]: '0' }, 'serve')
    assert.is(code, EXIT.failed)
    assert.match(
      stderr,
      `127.0.0.1:${port} is used by another process. Stop it, or choose another port with ${taken}.\n`,
    )
    assert.not.match(stderr, /\n +at /)
  }
  other.close()
  await rm(folder, { recursive: true })
})

test.run()

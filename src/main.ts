#!/usr/bin/env node
/** The command line: serve, preview, check, token, user, fsck, backup, bundle, refresh, migrate, forget-key. */
import { asError, errorCode } from './kernel/thrown.js'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { ConfigError, loadConfig } from './config.js'
import { isRefusedWrite } from './disk/folder-watch.js'
import { FolderLocked } from './disk/folder-lock.js'
import { makeToken, makeUser } from './commands/accounts.js'
import { backUp } from './commands/backup.js'
import { check } from './commands/check.js'
import { type Format, FORMATS } from './commands/check-formats.js'
import { forgetKey } from './commands/keys.js'
import { bundleSpace, checkAll, OperatorError } from './commands/maintenance.js'
import { migrate } from './commands/migrate/migrate.js'
import { preview } from './commands/preview.js'
import { refreshSpace } from './commands/refresh.js'
import { findSampleSite } from './domain/sites/sample-site.js'
import { UnusableKey } from './git/index.js'
import { type Service, start } from './server.js'
import { WrongKey } from './start/keys.js'
import { CannotListen } from './start/serve-api.js'
import { MigrationUnfinished } from './start/migration.js'
import { DatabaseAway, StoreDamaged, StoreTooNew, StoreTooOld } from './store/index.js'

const { version }: { version: string } = createRequire(import.meta.url)('../package.json')
const program = new Command('bindery').description('A self-hosted, Git-native documentation server').version(version)

program
  .command('serve')
  .description('start the server (the default); settings come from the environment (see docs/settings.md)')
  .action(async () => {
    const config = loadConfig()
    const service = await start(config)
    const sample = await findSampleSite(service.app, service.first.organization.id)
    // Do this before the message, because a caller that reads the message may stop the server immediately.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void finish(service))
    console.log(welcome(service, config.dataDir, sample))
  })

program
  .command('preview <folder>')
  .description('serve a folder of documentation as a site on this machine, and reload its pages after each change')
  .option('--port <number>', 'port of the site; 0 = any free port (default: 4000, or any free port if it is taken)')
  .option('--project <folder>', 'folder of the documentation in a monorepo, relative to <folder>')
  .action((folder: string, options: { port?: string; project?: string }) => preview(folder, options, console.log))

program
  .command('check <folder>')
  .description(
    'list the problems and broken links of a folder of documentation; exit code 0 = none, 1 = some, 2 = the check failed',
  )
  .addOption(new Option('--format <format>', 'format of the list').choices(FORMATS).default('text'))
  .option('--project <folder>', 'folder of the documentation in a monorepo, relative to <folder>')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(async (folder: string, options: { format: Format; project?: string }) => {
    process.exitCode = await check(folder, options, (text) => void process.stdout.write(text))
  })

program
  .command('token <email>')
  .description('create a token for a user; the server may keep running')
  .option('--label <label>', 'label of the token', 'Command line')
  .option(
    '--claimed-in <organization>',
    'ID of an organization: creates the token for the member there who has not verified the address',
  )
  .action(async (email: string, options: { label: string; claimedIn?: string }) =>
    console.log(await makeToken(loadConfig(), email, options)),
  )

program
  .command('user <email>')
  .description(
    'confirm that an address belongs to a user, and create the account if there is none; the server may keep running',
  )
  .option('--name <name>', 'display name of a new account')
  .option(
    '--free',
    'confirm that the address does not belong to its current account: that account becomes a user of a single organization, without the address',
  )
  .action(async (email: string, options: { name?: string; free?: boolean }) =>
    console.log(await makeUser(loadConfig(), email, options)),
  )

program
  .command('fsck')
  .description('check the documents against Git, and every repository; the server must be stopped')
  .option('--deep', 'also read everything with another implementation of Git, and compare')
  .action(async ({ deep }: { deep?: boolean }) => {
    const { complaints, notes } = await checkAll(loadConfig(), { deep: deep === true })
    for (const note of notes) console.log(note)
    console.log(complaints.length === 0 ? 'No problems found.' : complaints.join('\n'))
    process.exitCode = complaints.length === 0 ? 0 : 1
  })

program
  .command('bundle <space> <file>')
  .description(
    'write the repository of a space, with all its branches, into one new file that `git clone` reads; the server may keep running',
  )
  .action(async (space: string, file: string) =>
    console.log(`git clone ${await bundleSpace(loadConfig(), space, file)}`),
  )

program
  .command('backup <folder>')
  .description(
    'copy the data and the repositories into a new folder, from which a server can start; the server may keep running',
  )
  .action(async (folder: string) => {
    const { files, repositories } = await backUp(loadConfig(), folder)
    console.log(
      `${resolve(folder)} has ${repositories} repositories and ${files} files. To restore, see docs/administration.md.`,
    )
  })

program
  .command('refresh <space>')
  .description("update this node's copy of the repository of a space, for plain Git; the server may keep running")
  .action(async (space: string) => console.log(await refreshSpace(loadConfig(), space)))

program
  .command('migrate')
  .description('move the installation into a PostgreSQL database, or out of one; all servers must be stopped')
  .requiredOption(
    '--to <url or folder>',
    'URL of an empty database, or a new folder for the data in the database of BINDERY_DATABASE_URL',
  )
  .action(async ({ to }: { to: string }) => {
    // The process list shows a password in the URL until this line.
    process.title = 'bindery migrate'
    await migrate(loadConfig(), to, console.log)
  })

program
  .command('forget-key <signing|commit>')
  .description('let the nodes of a database use another key; the next node that starts sets it')
  .action(async (name: string) => console.log(await forgetKey(loadConfig(), name)))

let stopping = false
async function finish(service: Service): Promise<void> {
  if (stopping) return
  stopping = true
  await service.close()
  process.exit(0)
}

/** Returns the welcome message: the URL, the sample site, the token, and the next step. */
function welcome({ url, first }: Service, dataDir: string, sample: string | null): string {
  const kept = `${dataDir}/admin-token`
  const [token, header] = first.isGiven
    ? ['the one in BINDERY_ADMIN_TOKEN', '$BINDERY_ADMIN_TOKEN']
    : first.token === null
      ? [`the one in ${kept}, or one that you created`, `$(cat ${kept})`]
      : [`${first.token}   (kept in ${kept})`, first.token]
  return [
    '',
    `Bindery is ready at ${url}`,
    ...(first.link === null ? [] : [`  Open            ${url}/start#${first.link}   (signs you in, once, for a day)`]),
    ...(sample === null ? [] : [`  Sample site     ${sample}`]),
    `  API reference   ${url}/docs`,
    `  Token           ${token}`,
    `  Organization    ${first.organization.id}`,
    '',
    'Next, open the app. Or create a space in another terminal:',
    '',
    `  curl -s -X POST ${url}/v1/orgs/${first.organization.id}/spaces \\`,
    `    -H "Authorization: Bearer ${header}" \\`,
    `    -H 'Content-Type: application/json' -d '{"title": "Handbook"}'`,
    '',
  ].join('\n')
}

/** Returns advice for the operator: the missing permission, or why the database cannot be reached, without the password. */
function adviceOn(error: unknown): string {
  if (/^(EACCES|EPERM)$/.test(errorCode(error) ?? ''))
    return '. Give the user that runs the server access to the folder and everything in it'
  if (!(error instanceof DatabaseAway) || !(error.cause instanceof Error)) return ''
  return ` BINDERY_DATABASE_URL: ${error.cause.message || errorCode(error.cause)}`
}

/** Prints the error and ends the process. */
function fail(error: unknown): never {
  // The operator can fix these errors. The message contains the remedy, and a stack trace would only hide it.
  const known =
    error instanceof ConfigError ||
    error instanceof OperatorError ||
    error instanceof FolderLocked ||
    error instanceof StoreDamaged ||
    error instanceof StoreTooNew ||
    error instanceof StoreTooOld ||
    error instanceof MigrationUnfinished ||
    error instanceof DatabaseAway ||
    error instanceof UnusableKey ||
    error instanceof WrongKey ||
    isRefusedWrite(error) ||
    error instanceof CannotListen
  console.error(known ? asError(error).message + adviceOn(error) : error)
  process.exit(1)
}

// `serve` is not commander's default command: otherwise it would take an unknown command as an argument.
void program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve']).catch(fail)

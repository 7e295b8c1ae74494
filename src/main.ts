#!/usr/bin/env node
/** The command line: serve, preview, check, token, user, fsck, backup, bundle, refresh, migrate, purge-secret,
 * forget-key. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Command, Option } from 'commander'
import { type Format, FORMATS } from './commands/check-formats.js'
import type { PurgeOptions } from './commands/purge-secret.js'

// A command loads only the modules that it uses: those of the server take longer to load than `check` needs to check.

// Stack traces contain the sources, not the bundles of the build.
process.setSourceMapsEnabled(true)
// V8 places the objects that slow requests create in the memory for old ones, and then also those of fast requests, with
// all that they refer to. Collecting them takes a tenth of the time of a cached response.
setFlagsFromString('--no-allocation-site-pretenuring')
const { version }: { version: string } = createRequire(import.meta.url)('../package.json')
const settings = async () => (await import('./config.js')).loadConfig()
/** Collects the values of an option that can be repeated. */
const collect = (value: string, before: string[]): string[] => [...before, value]
const program = new Command('bindery').description('A self-hosted, Git-native documentation server').version(version)

program
  .command('serve')
  .description('start the server (the default); settings come from the environment (see docs/settings.md)')
  .action(async () => (await import('./commands/serve.js')).serve())

program
  .command('preview <folder>')
  .description('serve a folder of documentation as a site on this machine, and reload its pages after each change')
  .option('--port <number>', 'port of the site; 0 = any free port (default: 4000, or any free port if it is taken)')
  .option('--project <folder>', 'folder of the documentation in a monorepo, relative to <folder>')
  .action(async (folder: string, options: { port?: string; project?: string }) =>
    (await import('./commands/preview.js')).preview(folder, options, console.log),
  )

program
  .command('check <folder>')
  .description(
    'list the problems and broken links of a folder of documentation; exit code 0 = none, 1 = some, 2 = the check failed',
  )
  .addOption(new Option('--format <format>', 'format of the list').choices(FORMATS).default('text'))
  .option('--project <folder>', 'folder of the documentation in a monorepo, relative to <folder>')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(async (folder: string, options: { format: Format; project?: string }) => {
    const { check } = await import('./commands/check.js')
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
  .action(async (email: string, options: { label: string; claimedIn?: string }) => {
    const { makeToken } = await import('./commands/accounts.js')
    console.log(await makeToken(await settings(), email, options))
  })

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
  .action(async (email: string, options: { name?: string; free?: boolean }) => {
    const { makeUser } = await import('./commands/accounts.js')
    console.log(await makeUser(await settings(), email, options))
  })

program
  .command('fsck')
  .description('check the documents against Git, and every repository; the server must be stopped')
  .option('--deep', 'also read everything with another implementation of Git, and compare')
  .action(async ({ deep }: { deep?: boolean }) => {
    const { checkAll } = await import('./commands/maintenance.js')
    const { complaints, notes } = await checkAll(await settings(), { deep: deep === true })
    for (const note of notes) console.log(note)
    console.log(complaints.length === 0 ? 'No problems found.' : complaints.join('\n'))
    process.exitCode = complaints.length === 0 ? 0 : 1
  })

program
  .command('bundle <space> <file>')
  .description(
    'write the repository of a space, with all its branches, into one new file that `git clone` reads; the server may keep running',
  )
  .action(async (space: string, file: string) => {
    const { bundleSpace } = await import('./commands/maintenance.js')
    console.log(`git clone ${await bundleSpace(await settings(), space, file)}`)
  })

program
  .command('backup <folder>')
  .description(
    'copy the data and the repositories into a new folder, from which a server can start; the server may keep running',
  )
  .action(async (folder: string) => {
    const { backUp } = await import('./commands/backup.js')
    const { files, repositories } = await backUp(await settings(), folder)
    console.log(
      `${resolve(folder)} has ${repositories} repositories and ${files} files. To restore, see docs/administration.md.`,
    )
  })

program
  .command('refresh <space>')
  .description("update this node's copy of the repository of a space, for plain Git; the server may keep running")
  .action(async (space: string) => {
    const { refreshSpace } = await import('./commands/refresh.js')
    console.log(await refreshSpace(await settings(), space))
  })

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
    const { migrate } = await import('./commands/migrate/migrate.js')
    await migrate(await settings(), to, console.log)
  })

program
  .command('purge-secret <space>')
  .description(
    'remove files, texts or a person from the history of a space for good; the server must be stopped. Without --yes, the command only lists what would change',
  )
  .option('--path <path>', 'file or folder, from the root of the repository; can be repeated', collect, [])
  .option(
    '--text <file>',
    'file that contains the text to remove, or - for standard input; can be repeated',
    collect,
    [],
  )
  .option('--person <email>', 'address of an author or committer; can be repeated', collect, [])
  .option('--dry-run', 'only list what would change (the default)')
  .option('--yes', 'remove it')
  .option('--json', 'print the report as JSON')
  .addHelpText('after', '\nExample: printf %s "$SECRET" | bindery purge-secret --text - <space>')
  .action(async (space: string, options: PurgeOptions & { json?: boolean }) => {
    const { describePurge, purgeSecret } = await import('./commands/purge-secret.js')
    const config = await settings()
    const report = await purgeSecret(config, space, options)
    console.log(options.json ? JSON.stringify(report, null, 2) : describePurge(report, config.dataDir))
  })

program
  .command('forget-key <signing|commit>')
  .description('let the nodes of a database use another key; the next node that starts sets it')
  .action(async (name: string) => {
    const { forgetKey } = await import('./commands/keys.js')
    console.log(await forgetKey(await settings(), name))
  })

// `serve` is not commander's default command: otherwise it would take an unknown command as an argument.
void program
  .parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve'])
  .catch(async (error: unknown) => {
    const { fail } = await import('./commands/fail.js')
    fail(error)
  })

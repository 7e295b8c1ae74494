#!/usr/bin/env node
/** The command line. The commands are declared in `start/operator/commands.ts` and `commands/local-commands.ts`. */
import { createRequire } from 'node:module'
import { createProgram } from './commands/program.js'

// Stack traces contain the sources, not the bundles of the build.
process.setSourceMapsEnabled(true)
const { version }: { version: string } = createRequire(import.meta.url)('../package.json')

// `serve` is not commander's default command: otherwise it would take an unknown command as an argument.
void createProgram(version).parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve'])

#!/usr/bin/env node
/** The command line. The commands are declared in `start/operator/commands.ts` and `commands/local-commands.ts`. */
import { createProgram } from './commands/program.js'
import { PACKAGE_VERSION } from './start/version.js'

// Stack traces contain the sources, not the bundles of the build.
process.setSourceMapsEnabled(true)

// `serve` is not commander's default command: otherwise it would take an unknown command as an argument.
void createProgram(PACKAGE_VERSION).parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve'])

#!/usr/bin/env node
/** The command line. The commands are declared in `start/operator/commands.ts` and `commands/local-commands.ts`. */
import { setFlagsFromString } from 'node:v8'
import { createProgram } from './commands/program.js'
import { nameSources } from './kernel/stack-traces.js'
import { PACKAGE_VERSION } from './start/version.js'

nameSources(new URL('./', import.meta.url).href)
// V8 places the objects that slow requests create in the memory for old ones, and then also those of fast requests, with
// all that they refer to. Collecting them takes a tenth of the time of a cached response.
setFlagsFromString('--no-allocation-site-pretenuring')

// `serve` is not commander's default command: otherwise it would take an unknown command as an argument.
void createProgram(PACKAGE_VERSION).parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve'])

/** Builds modules of the server for measurements in this process. The loader of TypeScript would slow down functions. */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { FOR_NODE, keepUrls } from '../build-server.js'

const sources = fileURLToPath(new URL('../../src/', import.meta.url))
const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Loads modules, which share their imports. The files that they look for are those of the last build. */
export async function built<Modules extends object[]>(...files: string[]): Promise<Modules> {
  const outdir = join(dist, 'bench')
  await build({
    ...FOR_NODE,
    entryPoints: files.map((file) => join(sources, file)),
    outbase: sources,
    outdir,
    splitting: true,
    plugins: [keepUrls(sources, (file) => JSON.stringify(pathToFileURL(join(dist, file)).href))],
  })
  const names = files.map((file) => pathToFileURL(join(outdir, file.replace(/\.ts$/, '.js'))).href)
  return (await Promise.all(names.map((name) => import(name)))) as Modules
}

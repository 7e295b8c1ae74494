/** Makes one file, with all that it imports, of each module that a process or a thread is started with. */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

/**
 * What the service and the tests start in processes and threads again and again. Loading the modules of the service one by one
 * takes more than a second of processor time, and most of what a kill or a thread that ran out of time costs.
 */
const STARTED = ['src/main.ts', 'src/render/tasks.ts', 'src/parsing/entry.ts', 'src/git/process/spawner.ts']
/** These find files of their own next to them. */
const OUTSIDE = ['libsql', 'satteri', 'swagger-ui-dist']

/** Bundles into `dir`, over what was compiled file for file, so that the paths stay as they are. */
export async function bundle(repository: string, dir: string): Promise<void> {
  await build({
    entryPoints: STARTED.map((file) => join(repository, file)),
    outbase: repository,
    outdir: dir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: OUTSIDE,
    sourcemap: 'external',
    logLevel: 'error',
    // CommonJS in an ES module has no `require` for what is built into Node.
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
    plugins: [keepUrls(repository, dir)],
  })
}

/** `import.meta.url` of a bundled module stays that of its own place in `dir`, so that it finds the files next to it. */
const keepUrls = (repository: string, dir: string): Plugin => ({
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const place = join(dir, relative(repository, path)).replace(/\.ts$/, '.js')
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(`file://${place}`)), loader: 'ts', resolveDir: dirname(path) }
    })
  },
})

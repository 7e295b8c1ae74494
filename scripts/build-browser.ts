// Builds what browsers load from published sites: node --import tsx scripts/build-browser.ts <folder>
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const site = fileURLToPath(new URL('../src/site/', import.meta.url))

/** The sources and the names of the built files. */
const FILES = {
  'browser/main.ts': 'main.js',
  'browser/scheme.ts': 'scheme.js',
  'browser/reload.ts': 'reload.js',
  'theme/theme.css': 'theme.css',
}

/** Builds the scripts and the style sheet of sites into a folder. */
export async function buildBrowser(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [source, name] of Object.entries(FILES)) {
    const { outputFiles } = await build({
      entryPoints: [join(site, source)],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      logLevel: 'error',
      loader: { '.woff2': 'empty' },
      external: ['*.woff2'],
    })
    await writeFile(join(folder, name), outputFiles[0]?.contents ?? '')
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await buildBrowser(process.argv[2] ?? 'dist/site/assets')

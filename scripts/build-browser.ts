// Builds what browsers load from published sites: node --import tsx scripts/build-browser.ts <folder>
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const site = fileURLToPath(new URL('../src/site/', import.meta.url))

/** The sources and the names of the built files. */
const FILES = {
  'browser/main.ts': 'main.js',
  'browser/offline.ts': 'offline.js',
  'browser/scheme.ts': 'scheme.js',
  'browser/try.ts': 'try.js',
  'browser/reload.ts': 'reload.js',
  'theme/theme.css': 'theme.css',
  'theme/try.css': 'try.css',
  'theme/plain.css': 'plain.css',
}

/** Returns the other names of Font Awesome's free icons, from the list of 5 MB in its package. */
async function iconAliases(): Promise<Record<string, string>> {
  const list = createRequire(import.meta.url).resolve('@fortawesome/fontawesome-free/metadata/icon-families.json')
  const icons = JSON.parse(await readFile(list, 'utf8')) as Record<
    string,
    { aliases?: { names?: string[] }; familyStylesByLicense?: { free?: unknown[] } }
  >
  const named = Object.entries(icons).flatMap(([name, { aliases, familyStylesByLicense }]) =>
    (familyStylesByLicense?.free?.length ?? 0) > 0 ? (aliases?.names ?? []).map((alias) => [alias, name]) : [],
  )
  return Object.fromEntries(named)
}

/** Builds the scripts and the style sheet of sites, and the names of icons, into a folder. */
export async function buildBrowser(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [source, name] of Object.entries(FILES)) {
    const { outputFiles } = await build({
      entryPoints: [join(site, source)],
      bundle: true,
      minify: true,
      write: false,
      // Browsers load modules only from servers.
      format: name === 'offline.js' ? 'iife' : 'esm',
      target: 'es2022',
      logLevel: 'error',
      loader: { '.woff2': 'empty' },
      external: ['*.woff2'],
    })
    await writeFile(join(folder, name), outputFiles[0]?.contents ?? '')
  }
  await writeFile(join(folder, 'icon-aliases.json'), JSON.stringify(await iconAliases()))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await buildBrowser(process.argv[2] ?? 'dist/site/assets')

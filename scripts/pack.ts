// Creates the folder of the npm package from a build: node --import tsx scripts/pack.ts <folder> [<build>]
// `npm pack <folder>` makes the file from it, or `npm install --omit=dev` in it makes it run. The package contains the
// bundles, so it depends only on the packages that they load when they run.
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { OUTSIDE } from './build-server.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Packages whose files the server reads: fonts and icons. */
const READ = /^(@fontsource(-variable)?|@phosphor-icons|@fortawesome)\//
const FILES = ['templates', 'deploy', 'README.md', 'LICENSE', 'SECURITY.md', 'CHANGELOG.md']

/** Writes the package into a folder, without what it had. */
export async function stagePackage(folder: string, build = join(root, 'dist')): Promise<void> {
  const source = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const needed = Object.entries<string>(source.dependencies).filter(
    ([name]) => OUTSIDE.includes(name) || READ.test(name),
  )
  const { name, version, description, license, type, engines, bin, optionalDependencies } = source
  const staged = {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin,
    dependencies: Object.fromEntries(needed),
    optionalDependencies,
  }
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(staged, null, 2)}\n`)
  // npm reduces the lock file to these packages, so that every installation has the tested versions.
  await cp(join(root, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'))
  const reduce = ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', reduce, { cwd: folder })
  await cp(build, join(folder, 'dist'), { recursive: true, dereference: true })
  for (const file of FILES) await cp(join(root, file), join(folder, file), { recursive: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await stagePackage(resolve(process.argv[2] ?? 'package'), process.argv[3] && resolve(process.argv[3]))

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import type * as database from '../test/support/service-database.js'
import type * as gitHttp from '../test/support/git-http.js'
import type * as services from '../test/support/service.js'

// Counts how far an operation goes through the source. It runs each operation in a real server whose functions report
// their calls:
//   node --import tsx scripts/paths.ts                   all operations
//   node --import tsx scripts/paths.ts edit --calls      the operations whose name contains this text, with each call
//   node --import tsx scripts/paths.ts edit --pairs      the same, with the pairs of files with the most calls
//   STORE=postgres node --import tsx scripts/paths.ts    on a node with a database
//
// files:   the files of src/ in which a function ran because another file called it.
// returns: the calls into a file that had been left: one for each place in another file and the function that it calls,
//          without the first call into each file. A callback that runs in the file that passed it is a return as well.
//
// Only calls that each repetition of the operation makes count, so timers have no effect. `own` counts the files of
// src/domain/ and src/content/, which contain the rules of the operation. `git` counts those of src/git/. `all` counts
// every file, also those that each request passes: the pipeline, the store, the log.

const REPETITIONS = 4
/** Number of printed pairs of files. */
const PAIRS = 20
const repository = dirname(import.meta.dirname)

/** A function of the instrumented source, by its number. */
interface Reported {
  file: string
  name: string
}

const functions: Reported[] = []
const scopes: Record<string, RegExp> = { own: /^src\/(domain|content)\//, git: /^src\/git\//, all: /^src\// }
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: 'boolean' }, pairs: { type: 'boolean' } },
})

/** Reports the start of each function of a source file. */
function reporting(file: string): ts.TransformerFactory<ts.SourceFile> {
  const factory = ts.factory
  const report = (node: ts.Node): ts.Expression => {
    const named =
      ts.isFunctionLike(node) && node.name ? node.name : (node.parent as { name?: ts.Node } | undefined)?.name
    const line = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1
    functions.push({ file, name: named && ts.isIdentifier(named) ? named.text : `line ${line}` })
    const entered = factory.createPropertyAccessExpression(factory.createIdentifier('globalThis'), '__entered')
    const number = factory.createNumericLiteral(functions.length - 1)
    return factory.createCallChain(entered, factory.createToken(ts.SyntaxKind.QuestionDotToken), undefined, [number])
  }
  return (context) => {
    const visit = (node: ts.Node): ts.Node => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined)
        return ts.visitEachChild(node, visit, context)
      const call = report(node)
      const inside = ts.visitEachChild(node, visit, context) as ts.FunctionLikeDeclaration
      const body = inside.body as ts.Block | ts.Expression
      const reported = ts.isBlock(body)
        ? factory.createBlock([factory.createExpressionStatement(call), ...body.statements], true)
        : factory.createParenthesizedExpression(factory.createComma(call, body))
      return withBody(inside, reported)
    }
    return (source) => ts.visitNode(source, visit) as ts.SourceFile
  }
}

function withBody(node: ts.FunctionLikeDeclaration, body: ts.Block | ts.ParenthesizedExpression): ts.Node {
  const { factory: f } = ts
  const { modifiers, parameters: args, type, typeParameters: types } = node
  if (ts.isArrowFunction(node))
    return f.updateArrowFunction(node, modifiers as never, types, args, type, node.equalsGreaterThanToken, body)
  const block = body as ts.Block
  if (ts.isFunctionDeclaration(node))
    return f.updateFunctionDeclaration(node, modifiers, node.asteriskToken, node.name, types, args, type, block)
  if (ts.isFunctionExpression(node))
    return f.updateFunctionExpression(node, modifiers as never, node.asteriskToken, node.name, types, args, type, block)
  if (ts.isMethodDeclaration(node))
    return f.updateMethodDeclaration(
      node,
      modifiers,
      node.asteriskToken,
      node.name,
      node.questionToken,
      types,
      args,
      type,
      block,
    )
  if (ts.isGetAccessorDeclaration(node))
    return f.updateGetAccessorDeclaration(node, modifiers, node.name, args, type, block)
  if (ts.isSetAccessorDeclaration(node)) return f.updateSetAccessorDeclaration(node, modifiers, node.name, args, block)
  return f.updateConstructorDeclaration(node as ts.ConstructorDeclaration, modifiers, args, block)
}

/** Compiles src/ and test/support/ file by file below `dir`, and links everything else. */
function compileInto(dir: string): void {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: 'preact',
    verbatimModuleSyntax: true,
  }
  const visit = (folder: string): void => {
    mkdirSync(join(dir, folder), { recursive: true })
    for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
      const file = join(folder, entry.name)
      if (entry.isDirectory()) visit(file)
      else if (!/(?<!\.d)\.tsx?$/.test(file)) symlinkSync(join(repository, file), join(dir, file))
      else {
        const { outputText } = ts.transpileModule(readFileSync(join(repository, file), 'utf8'), {
          compilerOptions: options,
          fileName: file,
          transformers: { before: file.startsWith('src/') ? [reporting(file)] : [] },
        })
        writeFileSync(join(dir, file.replace(/\.tsx?$/, '.js')), outputText)
      }
    }
  }
  for (const folder of ['src', 'test/support']) visit(folder)
  for (const name of readdirSync(repository))
    if (!name.startsWith('.') && name !== 'src' && name !== 'test') symlinkSync(join(repository, name), join(dir, name))
}

/** The calls between files of one repetition: from a place to a function. */
type Calls = Map<string, { from: string; to: Reported }>

/** Records the calls that `work` makes between files below `dir`. */
async function record(dir: string, work: () => Promise<unknown>): Promise<Calls> {
  const calls: Calls = new Map()
  const sources = `${pathToFileURL(join(dir, 'src'))}/`
  const frames = (_: Error, stack: NodeJS.CallSite[]): NodeJS.CallSite[] => stack
  const entered = (number: number): void => {
    const before = Error.prepareStackTrace
    Error.prepareStackTrace = frames
    const holder: { stack?: NodeJS.CallSite[] } = {}
    Error.captureStackTrace(holder, entered)
    const stack = holder.stack ?? []
    Error.prepareStackTrace = before
    const to = functions[number] as Reported
    const caller = stack.slice(1).find((frame) => frame.getFileName()?.startsWith(sources))
    const compiled = caller?.getFileName()?.slice(sources.length)
    if (
      caller === undefined ||
      compiled === undefined ||
      compiled.replace(/\.js$/, '') === to.file.slice(4).replace(/\.tsx?$/, '')
    )
      return
    const from = `${compiled}:${caller.getLineNumber()}:${caller.getColumnNumber()} ${caller.getFunctionName() ?? ''}`
    calls.set(`${from} ${number}`, { from, to })
  }
  Object.assign(globalThis, { __entered: entered })
  await work()
  Object.assign(globalThis, { __entered: undefined })
  return calls
}

/** Keeps the calls that all repetitions made. */
const common = ([first, ...others]: readonly Calls[]): Calls =>
  new Map([...(first ?? [])].filter(([key]) => others.every((one) => one.has(key))))

function print(name: string, calls: Calls): void {
  const line = Object.entries(scopes).map(([scope, files]) => {
    const within = [...calls.values()].filter(({ to }) => files.test(to.file))
    const entered = new Set(within.map(({ to }) => to.file))
    return `${scope} ${entered.size} files, ${within.length - entered.size} returns`
  })
  console.log(`${name}: ${line.join('; ')}`)
  if (values.pairs) printPairs([...calls.values()].filter(({ to }) => scopes.own?.test(to.file)))
  if (!values.calls) return
  const sorted = [...calls.values()].map(({ from, to }) => `  ${to.file} ${to.name}  <- ${from}`).sort()
  console.log(sorted.join('\n'))
}

/** Prints the pairs of a calling and a called file of the rules with the most calls, and the called functions. */
function printPairs(calls: readonly { from: string; to: Reported }[]): void {
  const pairs = new Map<string, string[]>()
  for (const { from, to } of calls) {
    const pair = `src/${from.split(':')[0]?.replace(/\.js$/, '.ts')} -> ${to.file}`
    pairs.set(pair, [...(pairs.get(pair) ?? []), to.name])
  }
  for (const [pair, names] of [...pairs].sort(([, a], [, b]) => b.length - a.length).slice(0, PAIRS))
    console.log(`  ${names.length} ${pair}  ${[...new Set(names)].join(', ')}`)
}

/** An operation: `prepare` creates the state for one repetition, and returns the recorded work. */
interface Operation {
  name: string
  prepare: (repetition: number) => Promise<() => Promise<unknown>>
}

async function operations(service: services.TestService, remotes: gitHttp.GitHttp): Promise<Operation[]> {
  const { admin, organization } = service
  const idle = () => service.service.idle()
  const spaceWith = async (pages: number): Promise<string> => {
    const { body } = await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Space' }).expect(201)
    for (let page = 0; page < pages; page++) await insert(`/v1/spaces/${body.id}`, `Page ${page}`)
    return `/v1/spaces/${body.id}`
  }
  const insert = (at: string, title: string) =>
    admin
      .call('post', `${at}/content`, {
        changes: [{ operation: 'insert_page', title, document: { markdown: `Text of ${title}.\n` } }],
      })
      .expect(200)
  const edit = (at: string, page: { id: string }, text: string) =>
    admin
      .call('post', `${at}/content`, {
        changes: [{ operation: 'update_page', page: page.id, document: { markdown: `${text}\n` } }],
      })
      .expect(200)
  const pagesOf = async (at: string) =>
    (await admin.call('get', `${at}/content/pages`).expect(200)).body.pages as { id: string; title: string }[]
  const space = await spaceWith(8)
  const pages = (await pagesOf(space)).filter(({ title }) => title.startsWith('Page '))
  const page = (n: number) => pages[n % pages.length] as { id: string }
  const remote = await remotes.createRepository('docs.git', {
    files: { 'README.md': '# Docs\n', 'SUMMARY.md': '# Summary\n' },
  })
  const synced = await spaceWith(0)
  const sync = async (direction: 'import' | 'export') => {
    const body = {
      url: remote.url,
      ref: 'refs/heads/main',
      ...(direction === 'export' ? { commitMessage: 'Publish' } : {}),
    }
    await admin.call('post', `${synced}/git/${direction}`, body).expect(204)
    await idle()
    const { body: info } = await admin.call('get', `${synced}/git/info`).expect(200)
    if (!JSON.stringify(info).includes('success')) throw new Error(JSON.stringify(info))
  }
  await sync('import')
  await edit(synced, (await pagesOf(synced))[0] as { id: string }, 'Changed here')
  await sync('export')
  return [
    { name: 'edit of main', prepare: async (n) => async () => edit(space, page(n), `New text ${n}`) },
    {
      name: 'merge',
      prepare: async (n) => {
        const { body } = await admin.call('post', `${space}/change-requests`, { subject: 'Change' }).expect(201)
        await edit(`${space}/change-requests/${body.id}`, page(n), `Text of a change request ${n}`)
        await edit(space, page(n + 1), `Text of main ${n}`)
        await idle()
        return async () => admin.call('post', `${space}/change-requests/${body.id}/merge`).expect(200)
      },
    },
    {
      name: 'import',
      prepare: async (n) => {
        await edit(synced, (await pagesOf(synced))[0] as { id: string }, `Changed here ${n}`)
        await remote.commit({
          [`page-${n}.md`]: `# Page ${n}\n`,
          'SUMMARY.md': `# Summary\n\n* [Page](page-${n}.md)\n`,
        })
        await idle()
        return () => sync('import')
      },
    },
    {
      name: 'export',
      prepare: async (n) => {
        await edit(synced, (await pagesOf(synced))[0] as { id: string }, `To export ${n}`)
        await sync('export')
        await edit(synced, (await pagesOf(synced))[0] as { id: string }, `To export again ${n}`)
        await idle()
        return () => sync('export')
      },
    },
    {
      name: 'page',
      prepare: async (n) => async () => admin.call('get', `${space}/content/page/${page(n).id}`).expect(200),
    },
  ]
}

/** Waits until what the last request started has ended. */
const settled = () => new Promise((done) => setTimeout(done, 500))

mkdirSync(join(repository, '.test-run'), { recursive: true })
const dir = mkdtempSync(join(repository, '.test-run', 'paths-'))
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
compileInto(dir)
Error.stackTraceLimit = 40
const compiled = (file: string) => import(pathToFileURL(join(dir, 'test/support', file)).href)
const { startServiceDatabases }: typeof database = await compiled('service-database.js')
const { startGitHttp }: typeof gitHttp = await compiled('git-http.js')
const { startService }: typeof services = await compiled('service.js')
const endDatabases = await startServiceDatabases()
const served = mkdtempSync(join(dir, 'remotes-'))
const remotes = await startGitHttp({ root: served })
const service = await startService()
for (const { name, prepare } of await operations(service, remotes)) {
  if (!name.includes(positionals[0] ?? '')) continue
  const runs: Calls[] = []
  for (let n = 0; n < REPETITIONS; n++) {
    const work = await prepare(n)
    await settled()
    runs.push(await record(dir, work))
  }
  print(name, common(runs))
}
await service.close()
await remotes.close()
await endDatabases()
process.exit()

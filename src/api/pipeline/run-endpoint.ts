import type { Context } from 'koa'
import { badRequest, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import { toJson } from '../../kernel/raw-json.js'
import { type Endpoint, PUBLIC_BODY_BYTES, type RequestInfo } from '../declaration.js'
import { type Audited, Reply } from '../reply.js'
import { readJson } from './body.js'
import type { ByteBudget, Share } from './byte-budget.js'
import type { CompiledEndpoint } from './compiled-endpoint.js'
import { ifMatch, tagOfParts } from './etag.js'
import { errorAnswer } from './error-answer.js'
import { answerFile } from './file-answer.js'
import { answerBytes, isFresh } from './json-answer.js'
import { isForm } from './form.js'
import { networkOf } from './network-of.js'
import type { ApiConfig, ApiOptions } from './options.js'
import type { RequestState } from './request-state.js'
import { checkLength } from './routes.js'
import { violations } from './violations.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** What one request brings along. */
export interface Call<Actor> {
  ctx: Context
  state: RequestState
  actor: Actor | null
  parameters: readonly string[]
}

type Options = ApiOptions<unknown, object>
type Resources = Record<string, unknown>
type Files = RequestInfo['files']
const noFiles: Files = new Map()

/** What is known of a request when it is answered, for those who are told of it. */
interface Trace {
  resources: Resources
  members: readonly string[]
  audited: Audited
  overruled: readonly string[]
}

/**
 * Loads the path's resources in order, into `resources`; false = the leaf of a DELETE is not there. The permission is asked
 * as soon as what it is about is there, so that who does not have it learns nothing of what lies below. Throws 403, 404.
 */
async function load(compiled: CompiledEndpoint, call: Call<object>, { app, can }: Options, resources: Resources): Promise<boolean> {
  const { steps } = compiled
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!
    const id = call.parameters[i]!
    checkLength(step.name, id, step.rest, step.resolver.maxLength)
    const resource = await step.resolver.load({ app, actor: call.actor, id, parents: resources })
    if (resource === null || resource === undefined) {
      if (compiled.endpoint.deletes === 'leaf' && i === steps.length - 1) return false
      throw notFound(capital(step.resolver.as))
    }
    resources[step.resolver.as] = resource
    if (i === compiled.askAfter && !(await can(call.actor, compiled.permission as string, resources)))
      throw new ServiceError('forbidden', `This needs the permission "${compiled.permission}", which you do not have here.`)
  }
  return true
}

const capital = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `The ${words}`
}

/** Reads and checks query and body, and reports the violations of both together. Throws 400, 408, 413, 415, 429, 503. */
async function readInput(compiled: CompiledEndpoint, ctx: Context, config: ApiConfig, share: Share): Promise<{ query: object; body: unknown; files: Files }> {
  const query = compiled.query?.(ctx.querystring)
  const details: ErrorDetail[] = query && 'details' in query ? query.details : []
  let body: unknown
  let files: Files = noFiles
  if (compiled.body) {
    const limit = bodyLimit(compiled.endpoint, config)
    const read =
      compiled.form && isForm(ctx)
        ? await compiled.form(ctx, { fieldBytes: limit, fileBytes: config.fileLimitBytes }, share)
        : await readJson(ctx, limit, share, compiled.form !== null)
    if (read) {
      const check = compiled.body.check(read.count)
      if (!check(read.value)) details.push(...violations(check.errors ?? [], ''))
      body = read.value
      files = read.files ?? noFiles
    } else if (compiled.body.required) details.push({ path: '', message: 'is required, as JSON' })
  }
  if (details.length > 0) throw badRequest(summary(details), details)
  return { query: query && 'value' in query ? query.value : {}, body, files }
}

/** Bytes that a JSON body of the endpoint may have. */
export const bodyLimit = ({ needs, bodyLimitBytes }: Pick<Endpoint, 'needs' | 'bodyLimitBytes'>, config: Pick<ApiConfig, 'bodyLimitBytes'>): number =>
  bodyLimitBytes ?? (needs === 'public' ? PUBLIC_BODY_BYTES : config.bodyLimitBytes)

function summary(details: readonly ErrorDetail[]): string {
  const [first] = details
  const more = details.length - 1
  return `The request is invalid: ${first?.path || 'the body'} ${first?.message}${more > 0 ? ` (and ${more} more, see details)` : ''}.`
}

const requestInfo = (ctx: Context, state: RequestState, files: Files, baseUrl: string): RequestInfo => ({
  id: state.id,
  method: ctx.method,
  path: ctx.path,
  ip: ctx.ip,
  baseUrl,
  headers: ctx.req.headers,
  ifMatch: ifMatch(ctx.req.headers['if-match']),
  files,
})

/** Makes the function that runs an endpoint: load, permit, read, handle, answer. */
export function endpointRunner(options: Options, bodies: ByteBudget): (compiled: CompiledEndpoint, call: Call<object>) => Promise<void> {
  const { app, config, byteCache } = options

  const serialize = (compiled: CompiledEndpoint, body: unknown): string | Buffer => {
    const text = toJson(body)
    if (config.checkAnswers && compiled.answer) {
      const check = compiled.answer()
      if (text === undefined || !check(JSON.parse(text.toString())))
        // Never the answer itself: this is logged, and an answer may hold a secret.
        throw new Error(`${compiled.operationId} answers what it does not declare: ${JSON.stringify(check.errors?.slice(0, 5))}`)
    }
    return text
  }

  const answer = async (compiled: CompiledEndpoint, ctx: Context, result: unknown, tag?: string): Promise<void> => {
    const parts = result instanceof Reply ? result.parts : { body: result }
    if (parts.headers) ctx.set(parts.headers)
    if (parts.location !== undefined) ctx.set('Location', parts.location)
    if (parts.file) return answerFile(ctx, parts.file, (ctx.state as RequestState).answer)
    const status = parts.status ?? (parts.location !== undefined && parts.body === undefined ? 302 : compiled.status)
    if (parts.body === undefined) {
      if (compiled.status !== 204 && status === compiled.status) throw new Error(`${compiled.operationId} answers nothing`)
      ctx.body = null
      ctx.status = status
      return
    }
    const text = serialize(compiled, parts.body)
    if (tag !== undefined && byteCache && status === 200) byteCache.set(tag, typeof text === 'string' ? Buffer.from(text) : text)
    return answerBytes(ctx, status, JSON_TYPE, text, tag)
  }

  const run = async (compiled: CompiledEndpoint, call: Call<object>, trace: Trace, share: Share): Promise<void> => {
    const { ctx, state } = call
    const { resources } = trace
    if (call.actor) options.permit?.(call.actor, compiled.method)
    if (!(await load(compiled, call, options, resources))) {
      ctx.status = 204
      return
    }
    const { query, body, files } = await readInput(compiled, ctx, config, share)
    if (typeof body === 'object' && body !== null) trace.members = Object.keys(body)
    const guarded = compiled.method !== 'GET' && call.actor ? options.guard?.(call.actor, compiled.permission, resources) : undefined
    if (guarded) trace.overruled = guarded.overruled
    const context = { ...resources, app: guarded?.app ?? app, actor: call.actor, query, body, request: requestInfo(ctx, state, files, config.baseUrl()) }
    const parts = compiled.endpoint.validator ? await compiled.endpoint.validator(context) : null
    if (!parts) {
      const result = await compiled.endpoint.handle(context)
      if (result instanceof Reply) trace.audited = result.parts.audited ?? {}
      return answer(compiled, ctx, result)
    }
    const tag = tagOfParts([config.version, compiled.operationId, config.baseUrl(), ctx.url, ...parts])
    if (isFresh(ctx, tag)) {
      ctx.set('ETag', `"${tag}"`)
      ctx.status = 304
      return
    }
    const cached = byteCache?.get(tag)
    if (cached) return answerBytes(ctx, 200, JSON_TYPE, cached, tag)
    return answer(compiled, ctx, await compiled.endpoint.handle(context), tag)
  }

  const tell = async (compiled: CompiledEndpoint, { ctx, state, actor }: Call<object>, trace: Trace, status: number): Promise<void> => {
    if (!actor && trace.audited.user === undefined) return
    const created = ctx.response.get('Location')
    const userAgent = ctx.get('User-Agent')
    await options.acted?.({
      actor,
      operation: compiled.operationId,
      method: compiled.method,
      ...trace,
      ...(created === '' ? {} : { created }),
      status,
      address: ctx.ip,
      ...(userAgent === '' ? {} : { userAgent }),
      requestId: state.id,
    })
  }

  const runWithin = async (compiled: CompiledEndpoint, call: Call<object>, trace: Trace): Promise<void> => {
    const share = bodies.share(call.state.caller ?? networkOf(call.ctx.ip))
    try {
      await run(compiled, call, trace, share)
    } finally {
      share.release()
    }
  }

  return async (compiled, call) => {
    const trace: Trace = { resources: {}, members: [], audited: {}, overruled: [] }
    if (!options.acted || compiled.method === 'GET' || compiled.endpoint.audited === false) return runWithin(compiled, call, trace)
    try {
      await runWithin(compiled, call, trace)
    } catch (error) {
      await tell(compiled, call, trace, errorAnswer(error).status)
      throw error
    }
    await tell(compiled, call, trace, call.ctx.status)
  }
}

/**
 * Runs one request through its endpoint: loads resources, checks permission and input, calls the handler, writes the
 * audit entry.
 */
import { required } from '../../kernel/defined.js'
import type { Context } from 'koa'
import { badRequest, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import { jsonPieces } from '../../kernel/raw-json.js'
import type { Recording } from '../../kernel/recording.js'
import { type Endpoint, PUBLIC_BODY_BYTES, type RequestInfo } from '../declaration.js'
import type { AuditedRequest } from '../../model/index.js'
import { Reply } from '../reply.js'
import { type ParsedBody, readJson } from './body.js'
import type { ByteBudget, Share } from './byte-budget.js'
import type { CompiledEndpoint } from './compiled-endpoint.js'
import { ifMatch, tagOfParts } from './etag.js'
import { errorResponse } from './error-response.js'
import { respondFile } from './file-response.js'
import { respondBytes, isFresh } from './json-response.js'
import { bodyOf, LargeBody } from './large-body.js'
import { type FormLimits, isForm } from './form.js'
import { networkOf } from '../../kernel/network-of.js'
import type { ApiConfig, ApiOptions, OpenWrite } from './options.js'
import { RawBodies } from './raw-body.js'
import { renewableBody } from './renew-response.js'
import type { RequestState } from './request-state.js'
import { checkLength } from './routes.js'
import { readUrlencoded } from './urlencoded.js'
import { violations } from './violations.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** The data of one request. */
interface Call<Actor> {
  ctx: Context
  state: RequestState
  /** The app that carries out the request. */
  app: unknown
  /** Records reads through `app`, if the response may be cached. */
  recording: Recording | null
  actor: Actor | null
  parameters: readonly string[]
}

type Options = ApiOptions<unknown, object>
type Resources = Record<string, unknown>
type Files = RequestInfo['files']
type RawBody = ReturnType<RawBodies['open']>
const noFiles: Files = new Map()

/** A request that may change data, and its entry in the audit log. */
interface Write {
  request: AuditedRequest<object>
  open: OpenWrite<unknown>
}

/**
 * Loads the resources of the path into `resources`, in order. Returns false if the leaf of a DELETE does not exist.
 * The permission is checked as soon as its resource is loaded, so that callers without it learn nothing about resources
 * below. Throws 403, 404.
 */
async function load(
  compiled: CompiledEndpoint,
  call: Call<object>,
  { can, denial }: Options,
  resources: Resources,
): Promise<boolean> {
  const { steps } = compiled
  for (let i = 0; i < steps.length; i++) {
    const step = required(steps[i])
    const id = required(call.parameters[i])
    checkLength(step.name, id, step.rest, step.resolver.maxLength)
    const resource = await step.resolver.load({ app: call.app, actor: call.actor, id, parents: resources })
    if (resource === null || resource === undefined) {
      if (compiled.endpoint.deletes === 'leaf' && i === steps.length - 1) return false
      throw notFound(capital(step.resolver.as))
    }
    resources[step.resolver.as] = resource
    if (i === compiled.askAfter && !(await can(call.actor, required(compiled.permission), resources)))
      throw new ServiceError(
        'forbidden',
        denial?.(required(compiled.permission), resources) ?? `You need the permission "${compiled.permission}" here.`,
      )
  }
  return true
}

const capital = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `The ${words}`
}

/**
 * Reads and checks query and body, and reports the violations of both together. Throws 400, 408, 413, 415, 429, 503.
 */
async function readInput(
  compiled: CompiledEndpoint,
  ctx: Context,
  config: ApiConfig,
  share: Share,
): Promise<{ query: object; body: unknown; files: Files }> {
  const query = compiled.query?.(ctx.querystring)
  const details: ErrorDetail[] = query && 'details' in query ? query.details : []
  let body: unknown
  let files: Files = noFiles
  if (compiled.body) {
    const limit = bodyLimit(compiled.endpoint, config)
    const read = await readBody(compiled, ctx, { fieldBytes: limit, fileBytes: config.fileLimitBytes }, share)
    if (read) {
      const check = compiled.body.check(read.count)
      if (!check(read.value)) details.push(...violations(check.errors ?? [], ''))
      body = read.value
      files = read.files ?? noFiles
    } else if (compiled.body.required)
      details.push({
        path: '',
        message: compiled.endpoint.urlencoded ? 'is required, as a form' : 'is required, as JSON',
      })
  }
  if (details.length > 0) throw badRequest(summary(details), details)
  return { query: query && 'value' in query ? query.value : {}, body, files }
}

function readBody(
  { form, endpoint }: CompiledEndpoint,
  ctx: Context,
  limits: FormLimits,
  share: Share,
): Promise<ParsedBody | null> {
  if (endpoint.urlencoded)
    return readUrlencoded(ctx, limits.fieldBytes, share, Object.keys(endpoint.body?.properties ?? {}))
  return form && isForm(ctx) ? form(ctx, limits, share) : readJson(ctx, limits.fieldBytes, share, form !== null)
}

/** Returns the maximum size of a JSON body of the endpoint, in bytes. */
const bodyLimit = (
  { needs, bodyLimitBytes }: Pick<Endpoint, 'needs' | 'bodyLimitBytes'>,
  config: Pick<ApiConfig, 'bodyLimitBytes'>,
): number => bodyLimitBytes ?? (needs === 'public' ? PUBLIC_BODY_BYTES : config.bodyLimitBytes)

/** Number of violations in the message. Clients often show nothing else. */
const SUMMED_UP = 3

function summary(details: readonly ErrorDetail[]): string {
  const named = details.slice(0, SUMMED_UP).map(({ path, message }) => `${path || 'the body'} ${message}`)
  const more = details.length - SUMMED_UP
  return `The request is invalid: ${named.join('; ')}${more > 0 ? ` (and ${more} more, see details)` : ''}.`
}

const requestInfo = (
  ctx: Context,
  state: RequestState,
  files: Files,
  { baseUrl, raw }: { baseUrl: string; raw: RawBody },
): RequestInfo => ({
  id: state.id,
  method: ctx.method,
  path: ctx.path,
  ip: ctx.ip,
  baseUrl,
  headers: ctx.req.headers,
  ifMatch: ifMatch(ctx.req.headers['if-match']),
  files,
  receive: raw.receive,
  mayHold: raw.mayHold,
})

/** A cached response must not depend on parts that differ between two requests for the same resource. */
const recordedInfo = (info: RequestInfo, recording: Recording): RequestInfo => {
  const unknown = (): RequestInfo => {
    recording.recordUnknown()
    return info
  }
  return {
    ...info,
    get id() {
      return unknown().id
    },
    get ip() {
      return unknown().ip
    },
    get headers() {
      return unknown().headers
    },
  }
}

/** Returns the data of a request for the audit log. */
function requestOf(
  { operationId, method, status }: CompiledEndpoint,
  { ctx, state, actor }: Call<object>,
  resources: Resources,
): AuditedRequest<object> {
  const userAgent = ctx.get('User-Agent')
  return {
    actor,
    audited: {},
    operation: operationId,
    method,
    resources,
    members: [],
    overruled: [],
    success: status,
    address: ctx.ip,
    ...(userAgent === '' ? {} : { userAgent }),
    requestId: state.id,
  }
}

/** Returns the function that runs an endpoint: load, permit, read, handle, respond, then write the audit entry. */
export const endpointRunner = (
  options: Options,
  bodies: ByteBudget,
): ((compiled: CompiledEndpoint, call: Call<object>) => Promise<void>) => {
  const runner = new EndpointRunner(options, bodies)
  return (compiled, call) => runner.run(compiled, call)
}

class EndpointRunner {
  readonly #raw = new RawBodies()

  constructor(
    private readonly options: Options,
    private readonly bodies: ByteBudget,
  ) {}

  /** Runs an endpoint. Writes an audit entry if the request could change data, even if it was rejected. */
  async run(compiled: CompiledEndpoint, call: Call<object>): Promise<void> {
    const resources: Resources = {}
    if (!this.options.openWrite || compiled.method === 'GET')
      return this.runWithinBudget(compiled, call, resources, null)
    const request = requestOf(compiled, call, resources)
    const open = this.options.openWrite(request, compiled.endpoint.audited !== false)
    try {
      await this.runWithinBudget(compiled, call, resources, { request, open })
    } catch (thrown) {
      const error = (await this.options.explain?.(thrown)) ?? thrown
      await open.finish({ status: errorResponse(error).status })
      throw error
    }
    const created = call.ctx.response.get('Location')
    await open.finish({ status: call.ctx.status, ...(created === '' ? {} : { created }) })
  }

  private async runWithinBudget(
    compiled: CompiledEndpoint,
    call: Call<object>,
    resources: Resources,
    write: Write | null,
  ): Promise<void> {
    const caller = call.state.caller ?? networkOf(call.ctx.ip)
    const share = this.bodies.share(caller)
    const raw = this.#raw.open(call.ctx, compiled.endpoint.rawBodyLimitBytes ?? 0, caller)
    try {
      const context = await this.prepare(compiled, call, resources, { share, raw, write })
      if (context) await this.handle(compiled, call, context)
      else call.ctx.status = 204
    } finally {
      share.release()
      raw.release()
    }
  }

  /** Returns the handler's context, or null if the leaf of a DELETE does not exist. */
  private async prepare(
    compiled: CompiledEndpoint,
    call: Call<object>,
    resources: Resources,
    { share, raw, write }: { share: Share; raw: RawBody; write: Write | null },
  ): Promise<object | null> {
    const { config, permit } = this.options
    const { ctx, state, app, recording, actor } = call
    if (actor) permit?.(actor, compiled.method)
    if (!(await load(compiled, call, this.options, resources))) return null
    const { query, body, files } = await readInput(compiled, ctx, config, share)
    if (write && typeof body === 'object' && body !== null) write.request.members = Object.keys(body)
    const request = requestInfo(ctx, state, files, { baseUrl: config.baseUrl(), raw })
    return {
      ...resources,
      app: write ? write.open.guard(compiled.permission, resources) : app,
      actor,
      query,
      body,
      request: recording ? recordedInfo(request, recording) : request,
    }
  }

  /** Responds from the validator or the cache if possible, otherwise calls the handler. */
  private async handle(
    compiled: CompiledEndpoint,
    { ctx, state, recording }: Call<object>,
    context: object,
  ): Promise<void> {
    const { config, byteCache } = this.options
    const { endpoint } = compiled
    const parts = endpoint.validator ? await endpoint.validator(context) : null
    if (!parts) {
      const result = await endpoint.handle(context)
      await this.respond(compiled, ctx, result)
      if (!endpoint.repeatable || !recording) return
      recording.seal()
      state.reads = recording.finish()
      return
    }
    recording?.seal()
    const tagOf = (all: readonly string[]): string =>
      tagOfParts([config.version, compiled.operationId, config.baseUrl(), ctx.url, ...all])
    const tag = tagOf(parts)
    const fresh = isFresh(ctx, tag)
    const cached = fresh ? undefined : byteCache?.get(tag)
    if (fresh) {
      ctx.set('ETag', `"${tag}"`)
      ctx.status = 304
    } else if (cached) await respondBytes(ctx, { status: 200, type: JSON_TYPE, body: cached, tag })
    else await this.respond(compiled, ctx, await endpoint.handle(context), { tag, recording })
    state.tag = tag
    state.reads = recording?.finish() ?? null
    const body = state.reads && endpoint.renewal ? renewableBody(ctx) : null
    const renewal = body && (await endpoint.renewal?.(context, body))
    if (renewal)
      state.renewable = {
        ...renewal,
        tagAt: (commit) => tagOf(parts.map((part) => (part === renewal.commit ? commit : part))),
      }
  }

  private async respond(
    compiled: CompiledEndpoint,
    ctx: Context,
    result: unknown,
    validated?: { tag: string; recording: Recording | null },
  ): Promise<void> {
    const parts = result instanceof Reply ? result.parts : { body: result }
    if (parts.headers) ctx.set(parts.headers)
    if (parts.location !== undefined) ctx.set('Location', parts.location)
    if (parts.file) return respondFile(ctx, parts.file, ctx.state.response)
    const status = parts.status ?? (parts.location !== undefined && parts.body === undefined ? 302 : compiled.status)
    if (parts.body === undefined) {
      if (compiled.endpoint.returns && status === compiled.status)
        throw new Error(`${compiled.operationId} returned nothing`)
      ctx.body = null
      ctx.status = status
      return
    }
    const body = await this.serialize(compiled, parts.body)
    if (!validated) return respondBytes(ctx, { status, type: JSON_TYPE, body })
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const { tag, recording } = validated
    if (status === 200 && Buffer.isBuffer(bytes)) void this.keepBytes(tag, bytes, recording)
    return respondBytes(ctx, { status, type: JSON_TYPE, body: bytes, tag })
  }

  /** If data changed while the handler ran, the bytes may be newer than their tag. They are not cached then. */
  private async keepBytes(tag: string, bytes: Buffer, recording: Recording | null): Promise<void> {
    const { byteCache, responseCache } = this.options
    try {
      if (recording && responseCache?.learn) await responseCache.learn()
      if (!recording || recording.finish()) byteCache?.set(tag, bytes)
    } catch {
      // It is unknown whether data changed.
    }
  }

  private async serialize(compiled: CompiledEndpoint, body: unknown): Promise<string | Buffer | LargeBody> {
    const pieces = jsonPieces(body)
    const text = Array.isArray(pieces) ? await bodyOf(pieces) : pieces
    if (this.options.config.checkResponses && compiled.response) {
      const check = compiled.response()
      const whole = text instanceof LargeBody ? Buffer.concat(text.pieces) : text
      if (whole === undefined || !check(JSON.parse(whole.toString())))
        // Only log the errors, not the response: it may contain a secret.
        throw new Error(
          `${compiled.operationId} returned a response that does not match its schema: ${JSON.stringify(check.errors?.slice(0, 5))}`,
        )
    }
    return text
  }
}

import { type Endpoint, type Endpoints, pathParameters, PUBLIC_BODY_BYTES, scopeOf } from '../../src/api/declaration.js'
import { compileEndpoint, isBinary } from '../../src/api/pipeline/compiled-endpoint.js'
import { SchemaCompiler } from '../../src/api/pipeline/schemas.js'
import type { AnyResolvers } from '../../src/api/resolver.js'
import { isOptional, type JsonSchema } from '../../src/api/schema.js'
import { invalidBodies, invalidStrings } from './invalid.js'
import { addressesIn, isPagedList, openAddress, probeList, urlsIn } from './probe-responses.js'

/** Tokens for the requests. */
export interface Callers<Role extends string> {
  /** Signed in, sees nothing. */
  stranger: string
  byRole(role: Role): string
}

/** The request data for an endpoint. */
export interface Sample {
  /** Values of the path's parameters. */
  parameters: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  /** A valid body. With it, success is probed too. */
  body?: unknown
  /** Also probes success: the response must match the declaration. Default: for GET. */
  success?: boolean
  /** The resources of the path are visible to strangers (or it has none), so a stranger gets 403. */
  public?: boolean
}

export interface ProbeInput<Role extends string> {
  endpoints: Endpoints
  resolvers: AnyResolvers
  baseUrl: string
  /** The origin of the published sites. */
  sites?: string
  callers: Callers<Role>
  /** The request data for the endpoint, or null if it is not probed. */
  sampleFor(operationId: string, endpoint: Endpoint): Sample | null
  /** The lowest role with a permission, and the one below it, or null if every reader of the resource has it. */
  rolesFor(permission: string): { least: Role; below: Role | null }
  /** Whether the app has a screen at the address of a resource, `urls.app`. */
  isScreen(address: string): boolean
  /** A token that may call an endpoint that needs only a token. */
  anyone: string
}

/** One expectation that was not met. */
export interface Finding {
  operationId: string
  /** The attempted request. */
  probe: string
  expected: string
  got: string
}

interface ApiResponse {
  status: number
  text: string
  location: string | null
}

const invalidQueries: readonly [name: string, value: string][] = [
  ['limit', '1001'],
  ['limit', '-1'],
  ['limit', 'many'],
]

const isPermission = (endpoint: Endpoint): boolean => endpoint.needs !== 'public' && endpoint.needs !== 'authenticated'

/** The URL of an endpoint with the parameters of a sample. */
export function urlOf(endpoint: Endpoint, sample: Sample, more: Readonly<Record<string, string>> = {}): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => {
    const value = sample.parameters[name]
    if (value === undefined) throw new Error(`no sample for {${name}} of ${endpoint.path}`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams({ ...sample.query, ...more }).toString()
  return query ? `${path}?${query}` : path
}

/**
 * Sends each declared endpoint all requests that can be derived from its declaration. Returns the deviations from the
 * declaration.
 */
export async function probeEndpoints<Role extends string>(
  input: ProbeInput<Role>,
): Promise<{ probes: number; findings: Finding[] }> {
  const findings: Finding[] = []
  const compiler = new SchemaCompiler()
  let probes = 0

  const probeOne = async (operationId: string, endpoint: Endpoint, sample: Sample): Promise<void> => {
    const ask = (token: string | null, url: string, body: unknown): Promise<ApiResponse> =>
      askFor(endpoint.method, token, url, body)
    const askFor = (method: string, token: string | null, url: string, body: unknown): Promise<ApiResponse> =>
      send(method, token, url, body === undefined ? undefined : JSON.stringify(body))
    const send = async (
      method: string,
      token: string | null,
      url: string,
      body: string | undefined,
    ): Promise<ApiResponse> => {
      probes++
      const response = await fetch(input.baseUrl + url, {
        method,
        redirect: 'manual',
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      })
      return { status: response.status, text: await response.text(), location: response.headers.get('location') }
    }
    const expect = (probe: string, response: ApiResponse, ...statuses: number[]): boolean => {
      const good = statuses.includes(response.status)
      if (!good)
        findings.push({
          operationId,
          probe,
          expected: statuses.join(' or '),
          got: `${response.status} ${response.text.slice(0, 300)}`,
        })
      else if (response.status >= 400 && errorCode(response.text) !== response.status)
        findings.push({ operationId, probe, expected: 'the error body', got: response.text.slice(0, 300) })
      return good
    }
    const url = urlOf(endpoint, sample)
    const roles = isPermission(endpoint) ? input.rolesFor(endpoint.needs) : null
    const allowed = roles ? input.callers.byRole(roles.least) : endpoint.needs === 'public' ? null : input.anyone

    if (endpoint.needs !== 'public') {
      expect('no token', await ask(null, url, sample.body), 401)
      expect('a bad token', await ask('no-such-token', url, sample.body), 401)
    }
    if (isPermission(endpoint)) {
      const count = pathParameters(endpoint.path).length
      const hidden = endpoint.deletes === 'leaf' && count === 1 ? [204] : [404]
      expect('a stranger', await ask(input.callers.stranger, url, sample.body), ...(sample.public ? [403] : hidden))
    }
    if (roles?.below)
      expect(`one rank below (${roles.below})`, await ask(input.callers.byRole(roles.below), url, sample.body), 403)
    const [leaf] = pathParameters(endpoint.path).slice(-1)
    // A caller without permission learns nothing about the content below the resource whose role is checked.
    if (
      roles?.below &&
      leaf &&
      input.resolvers[endpoint.aliases?.[leaf.name] ?? leaf.name]?.as !== scopeOf(endpoint.needs)
    ) {
      const elsewhere = urlOf(endpoint, {
        ...sample,
        parameters: { ...sample.parameters, [leaf.name]: 'no-such-thing' },
      })
      expect(
        `one rank below (${roles.below}), of what is not there`,
        await ask(input.callers.byRole(roles.below), elsewhere, sample.body),
        403,
      )
    }
    for (const [name, value] of invalidQueries)
      if (endpoint.query && name in endpoint.query.properties)
        expect(`${name}=${value}`, await ask(allowed, urlOf(endpoint, sample, { [name]: value }), sample.body), 400)
    for (const [name, schema] of Object.entries((endpoint.query?.properties ?? {}) as Record<string, JsonSchema>))
      for (const { why, value } of invalidStrings(schema))
        if (value !== '')
          expect(`${name} ${why}`, await ask(allowed, urlOf(endpoint, sample, { [name]: value }), sample.body), 400)
    if (endpoint.body) {
      for (const { why, body, at } of invalidBodies(endpoint.body as unknown as JsonSchema, sample.body)) {
        const response = await ask(allowed, url, body)
        if (
          expect(why, response, 400) &&
          at !== undefined &&
          !errorPaths(response.text).some((path) => path.startsWith(at))
        )
          findings.push({ operationId, probe: why, expected: `an error at ${at}`, got: response.text.slice(0, 300) })
      }
      for (const bracket of ['[', '{"a":'])
        expect(`nested ${bracket}`, await send(endpoint.method, allowed, url, bracket.repeat(1_000)), 400)
      if (endpoint.needs === 'public') {
        const large = await send(endpoint.method, null, url, JSON.stringify('x'.repeat(PUBLIC_BODY_BYTES)))
        if (
          expect('a body over the limit of those without a token', large, 413) &&
          !large.text.includes(String(PUBLIC_BODY_BYTES))
        )
          findings.push({
            operationId,
            probe: 'the limit is named',
            expected: String(PUBLIC_BODY_BYTES),
            got: large.text,
          })
      }
      if (!isOptional(endpoint.body)) expect('no body', await ask(allowed, url, undefined), 400)
    }
    if (sample.success ?? endpoint.method === 'GET') {
      const compiled = compileEndpoint(operationId, endpoint, input.resolvers, compiler)
      const response = await ask(allowed, url, sample.body)
      if (!expect('a valid request', response, compiled.status)) return
      const hold = (probe: string, holds: boolean, got: unknown): void => {
        if (!holds) findings.push({ operationId, probe, expected: 'so', got: JSON.stringify(got).slice(0, 600) })
      }
      const get = async (address: string) => {
        const one = await askFor('GET', allowed, address, undefined)
        return { status: one.status, body: parse(one.text) }
      }
      if (compiled.status === 201)
        hold(
          'Location of what was made',
          response.location !== null && (await get(response.location)).status === 200,
          response.location,
        )
      const origins = { api: input.baseUrl, sites: input.sites }
      for (const address of new Set(addressesIn(parse(response.text), origins))) {
        const { status, bytes } = await openAddress(address, origins, allowed)
        // 202: the PDF is being created.
        hold('every address resolves', status === 200 || status === 202, {
          address,
          status,
          body: bytes.toString().slice(0, 200),
        })
      }
      for (const address of new Set(urlsIn(parse(response.text), 'app')))
        hold('urls.app opens a screen', input.isScreen(address), address)
      if (isPagedList(endpoint)) await probeList(url, get, hold)
      if (!endpoint.returns || isBinary(endpoint.returns)) return
      const check = compiled.response?.()
      if (check && !check(parse(response.text)))
        findings.push({
          operationId,
          probe: 'a valid request',
          expected: 'a response as declared',
          got: JSON.stringify(check.errors?.slice(0, 3)),
        })
    }
  }

  for (const [operationId, endpoint] of Object.entries(input.endpoints)) {
    const sample = input.sampleFor(operationId, endpoint)
    if (sample) await probeOne(operationId, endpoint, sample)
  }
  return { probes, findings }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorCode(text: string): number | undefined {
  const body = parse(text) as { error?: { code?: number; message?: unknown } } | undefined
  return typeof body?.error?.message === 'string' ? body.error.code : undefined
}

function errorPaths(text: string): string[] {
  const body = parse(text) as { error?: { details?: { path: string }[] } } | undefined
  return body?.error?.details?.map(({ path }) => path) ?? []
}

/** A small S3-compatible server in memory. It checks the signature and the content hash of every request. */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface S3Server {
  url: string
  /** The objects, by `<bucket>/<key>`. */
  objects: Map<string, Buffer>
  /** The number of requests by method. */
  requests: Map<string, number>
  close(): Promise<void>
}

const KEYS_PER_PAGE = 3
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** The signature that a request must have (AWS Signature Version 4). */
function expectedSignature(request: IncomingMessage, { date, region, signed }: Record<string, string>, secret: string) {
  const url = new URL(request.url ?? '', 'http://host')
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const names = (signed ?? '').split(';')
  const canonical = [
    request.method,
    url.pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signed,
    request.headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, date ?? ''), region ?? ''))
  return hmac(key, text).toString('hex')
}

/** Starts a server with one bucket. */
export async function startS3({
  bucket,
  accessKey,
  secret,
}: Record<'bucket' | 'accessKey' | 'secret', string>): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const requests = new Map<string, number>()
  const reject = (code: string, status = 403) => ({ status, body: `<Error><Code>${code}</Code></Error>` })
  const list = (url: URL) => {
    const prefix = `${bucket}/${url.searchParams.get('prefix') ?? ''}`
    const all = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const from = Number(url.searchParams.get('continuation-token') ?? 0)
    const page = all.slice(from, from + KEYS_PER_PAGE)
    const next =
      from + KEYS_PER_PAGE < all.length ? `<NextContinuationToken>${from + KEYS_PER_PAGE}</NextContinuationToken>` : ''
    const contents = page.map((key) => `<Contents><Key>${key.slice(bucket.length + 1)}</Key></Contents>`).join('')
    return { status: 200, body: `<ListBucketResult>${contents}${next}</ListBucketResult>` }
  }
  const answer = (request: IncomingMessage, body: Buffer): { status: number; body?: string | Buffer } => {
    const url = new URL(request.url ?? '', 'http://host')
    const [, key, date, region, signed, signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
        request.headers.authorization ?? '',
      ) ?? []
    if (key !== accessKey) return reject('InvalidAccessKeyId')
    const parts = { date: date ?? '', region: region ?? '', signed: signed ?? '' }
    if (signature !== expectedSignature(request, parts, secret)) return reject('SignatureDoesNotMatch')
    if (request.headers['x-amz-content-sha256'] !== sha256(body)) return reject('XAmzContentSHA256Mismatch', 400)
    const [, named, object = ''] = /^\/([^/]+)\/?(.*)$/.exec(url.pathname) ?? []
    if (named !== bucket) return reject('NoSuchBucket', 404)
    const name = `${bucket}/${object}`
    if (request.method === 'PUT') {
      objects.set(name, body)
      return { status: 200 }
    }
    if (request.method === 'DELETE') {
      objects.delete(name)
      return { status: 204 }
    }
    if (object === '') return list(url)
    const found = objects.get(name)
    return found ? { status: 200, body: found } : reject('NoSuchKey', 404)
  }
  const server = createServer(async (request, response) => {
    requests.set(request.method ?? '', (requests.get(request.method ?? '') ?? 0) + 1)
    const { status, body } = answer(request, await buffer(request))
    response.writeHead(status).end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    close: () => new Promise((done) => server.close(() => done())),
  }
}

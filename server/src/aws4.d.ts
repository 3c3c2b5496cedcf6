/** The part of aws4 that is used; the package has no types of its own. */
declare module 'aws4' {
  interface SignedRequest {
    host: string;
    path: string;
    method: string;
    service: string;
    region: string;
    headers: Record<string, string>;
    body: string | Uint8Array;
    extraHeadersToIgnore?: Record<string, boolean>;
  }

  const aws4: {
    sign(
      request: SignedRequest,
      credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string },
    ): SignedRequest;
  };
  export default aws4;
}

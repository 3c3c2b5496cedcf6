export { createTracer, type RequestTrace, type Tracer } from './tracer.ts';

"""Perfetto traces decoded from the bytes up, independently of gpusight: protobuf, packets, slices."""
import struct
import zlib


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, kind, value) of a message; bytes for kind 2."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        elif kind == 2:
            n, at = varint(data, at)
            assert at + n <= len(data), "length beyond the end"
            value, at = data[at:at + n], at + n
        else:
            raise ValueError(f"wire type {kind}")
        yield number, kind, value


def packets(data):
    for number, kind, value in fields(data):
        assert number == 1 and kind == 2, "a trace is a list of packets"
        inner = [v for n, _, v in fields(value) if n == 50]
        if inner:
            for part in inner:
                yield from packets(zlib.decompress(part))
        else:
            yield value


def signed(v):
    return v - (1 << 64) if v >= 1 << 63 else v


class Trace:
    """slices: (track, category, name, start, end, notes, flows); instants; points; tracks."""

    def __init__(self, data):
        self.slices, self.instants, self.points, self.tracks = [], [], [], {}
        self.texts = {1: {}, 2: {}, 3: {}, 29: {}}
        self.open = {}
        self.bytes = len(data)
        for packet in packets(data):
            self.packet(packet)
        assert not any(self.open.values()), "a slice that never ends"

    def packet(self, data):
        time = event = None
        for number, _, value in fields(data):
            if number == 8:
                time = signed(value)
            elif number == 12:
                self.intern(value)
            elif number == 60:
                self.track(value)
            elif number == 11:
                event = value
        if event is not None:
            self.event(time, event)

    def intern(self, data):
        for number, _, value in fields(data):
            entry = {n: v for n, _, v in fields(value)}
            iid, text = entry[1], entry[2].decode("utf-8", "surrogateescape")
            known = self.texts[number].setdefault(iid, text)
            assert known == text, "an iid means two things"

    def track(self, data):
        t = {n: v for n, _, v in fields(data)}
        assert t[1] not in self.tracks, "a track described twice"
        self.tracks[t[1]] = t

    def note(self, data):
        name = value = None
        for n, _, v in fields(data):
            if n == 1:
                name = self.texts[3][v]
            elif n == 3:
                value = v
            elif n == 4:
                value = signed(v)
            elif n == 5:
                value = struct.unpack("<d", v)[0]
            elif n == 17:
                value = self.texts[29][v]
        return name, value

    def event(self, time, data):
        kind = track = name = category = value = None
        notes, flows, ends = {}, [], []
        for n, _, v in fields(data):
            if n == 9:
                kind = v
            elif n == 11:
                track = v
            elif n == 10:
                name = self.texts[2][v]
            elif n == 3:
                category = self.texts[1][v]
            elif n == 4:
                key, val = self.note(v)
                notes[key] = val
            elif n == 47:
                flows.append(struct.unpack("<Q", v)[0])
            elif n == 48:
                ends.append(struct.unpack("<Q", v)[0])
            elif n == 44:
                value = struct.unpack("<d", v)[0]
            elif n == 30:
                value = signed(v)
        assert track in self.tracks, "an event on a track that is not described before"
        stack = self.open.setdefault(track, [])
        if kind == 1:
            if stack:
                assert time >= stack[-1][3], "begins before the slice around it"
            stack.append((track, category, name, time, notes, flows, ends))
        elif kind == 2:
            t, c, n, start, notes, flows, ends = stack.pop()
            assert time >= start, "ends before it begins"
            self.slices.append((t, c, n, start, time, notes, flows, ends))
        elif kind == 3:
            self.instants.append((track, category, name, time, notes))
        elif kind == 4:
            self.points.append((track, time, value))
        else:
            raise ValueError(f"type {kind}")
